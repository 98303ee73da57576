import ipaddr from 'ipaddr.js';

/** `host:port` as in a URL, of receivers that may be anywhere and may speak plain http. For development. */
export type AllowedHosts = ReadonlySet<string>;

export const allowedHosts = (hosts: readonly string[]): AllowedHosts =>
  new Set(hosts.map((host) => hostAndPort(new URL(`http://${host}`))));

type Place = Readonly<{ hostname: string; port: string; protocol: string }>;

export const portOf = ({ port, protocol }: Omit<Place, 'hostname'>): string =>
  port !== '' ? port : protocol === 'https:' ? '443' : '80';

/** The same for a URL and for what it is taken apart into on the way to a socket, where an IPv6 host has no brackets. */
export const hostAndPort = (place: Place): string => `${place.hostname.replace(/^\[|\]$/g, '')} ${portOf(place)}`;

/** 2000::/3, all of IPv6 that was ever given to the public; and 64:ff9b::/96, an IPv4 address behind a NAT64. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** A cloud's own services answer here, to its machines only, although the range is a public one. */
const cloudService = '168.63.129.16';

/** Whether webhooks may be sent there: a public address of one host. Whatever else an address may mean, the answer is no. */
export const isPublicAddress = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && address.toString() !== cloudService;
  if (address.match(nat64)) return isPublicAddress(address.toByteArray().slice(12).join('.'));
  return address.match(globalUnicast) && address.range() === 'unicast';
};

/** Undefined: a name. The URL parser has decoded octal, hex and short forms of addresses by now. */
export const literalOf = (hostname: string): string | undefined => {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
};

/** Names that mean this machine whatever a name server says. */
const localName = /(^|\.)localhost\.?$/;

/** False: no webhook may go there. A name is only known once it has been resolved. */
export const mayBePublic = (hostname: string): boolean => {
  const literal = literalOf(hostname);
  return literal === undefined ? !localName.test(hostname) : isPublicAddress(literal);
};

/** Why no webhook can be sent to this URL, as far as the URL itself tells. */
export const urlRefusal = (text: string, allowed: AllowedHosts): string | undefined => {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not carry credentials';
  if (/^https?:$/.test(url.protocol) && allowed.has(hostAndPort(url))) return undefined;
  if (url.protocol !== 'https:') return 'must start with https://';
  return mayBePublic(url.hostname) ? undefined : 'must be a public address';
};
