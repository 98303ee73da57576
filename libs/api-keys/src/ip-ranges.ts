import ipaddr from 'ipaddr.js';

/** A CIDR range or one address, in its canonical spelling. `undefined`: neither. */
export const ipRange = (text: string): string | undefined => {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return `${address.toString()}/${bits}`;
  }
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`;
};

/** An empty list allows every address. An IPv4 address that came through an IPv6 socket counts as IPv4. */
export const isAllowedFrom = (ranges: readonly string[], address: string): boolean => {
  if (ranges.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === caller.kind() && caller.match(network, bits);
  });
};
