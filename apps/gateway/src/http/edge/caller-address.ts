import { isAllowedFrom } from '@causeway/api-keys';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { IncomingHttpHeaders } from 'node:http';

export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

/** Whose word on a caller's address is taken, and where they write it. */
export type Proxies = Readonly<{ trusted: readonly string[]; header: ProxyHeader }>;

/** Of a hop in `Forwarded` (RFC 7239), whose parameters may come in any order and in quotes. */
const forwardedFor = (hop: string): string =>
  /(?:^|;)\s*for=(?:"([^"]*)"|([^;\s]*))/i
    .exec(hop)
    ?.slice(1)
    .find((text) => text !== undefined) ?? '';

/** Proxies may add the port; an IPv6 address then stands in brackets. What is no address is empty. */
const addressIn = (hop: string): string => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(hop) ?? [];
  const address = bracketed ?? plain ?? hop;
  return ipaddr.isValid(address) ? address : '';
};

/** The hops, nearest last. */
const hopsIn = (headers: IncomingHttpHeaders, header: ProxyHeader): readonly string[] => {
  const value = headers[header];
  const text = Array.isArray(value) ? value.join(',') : (value ?? '');
  const hops = text === '' ? [] : text.split(',').map((hop) => hop.trim());
  return (header === 'forwarded' ? hops.map(forwardedFor) : hops).map(addressIn);
};

/**
 * The caller's address: the peer's, or what trusted proxies say one after the other, up to the first that is none of
 * them. Whatever stands before it anyone may have written. Empty: a trusted proxy named no address.
 */
export const callerAddress = ({ trusted, header }: Proxies, peer: string, headers: IncomingHttpHeaders): string => {
  const isProxy = (address: string): boolean => trusted.length > 0 && isAllowedFrom(trusted, address);
  if (!isProxy(peer)) return peer;
  const hops = hopsIn(headers, header);
  return hops.findLast((hop) => !isProxy(hop)) ?? hops[0] ?? peer;
};

export type AddressOf = (request: FastifyRequest) => string;

export const addressBehind =
  (proxies: Proxies): AddressOf =>
  ({ socket, headers }) =>
    callerAddress(proxies, socket.remoteAddress ?? '', headers);

const ipv6PrefixBytes = 8;

/** What a limit by address counts together: of IPv6 the /64, which one caller mostly has whole. */
export const limitedAddress = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const prefix = parsed.toByteArray().slice(0, ipv6PrefixBytes);
  return `${Buffer.from(prefix).toString('hex')}/64`;
};
