import { callerAddress, limitedAddress } from './caller-address.ts';

const trusted = ['10.0.0.0/8', '2001:db8:1::/48'];

test.each<[string, string, string | undefined, string]>([
  ['a peer that is no proxy is the caller, whatever it says', '192.0.2.9', '198.51.100.1', '192.0.2.9'],
  ['a proxy that says nothing is the caller', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy is believed', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['one on an IPv6 socket too', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['what the caller wrote itself is not', '10.0.0.1', '203.0.113.7, 198.51.100.1', '198.51.100.1'],
  ['proxies behind each other are passed', '10.0.0.1', '203.0.113.7, 198.51.100.1, 10.2.3.4,10.0.0.2', '198.51.100.1'],
  ['behind proxies alone, the farthest is the caller', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['IPv6 is read', '2001:db8:1::1', '2001:db8:2::7', '2001:db8:2::7'],
  ['a port is dropped', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['a port after IPv6 is dropped', '10.0.0.1', '[2001:db8:2::7]:4711', '2001:db8:2::7'],
  ['what is no address hides what stands before it', '10.0.0.1', '198.51.100.1, unknown', ''],
])('%s: X-Forwarded-For', (_, peer, value, address) => {
  const headers = { 'x-forwarded-for': value, forwarded: 'for=203.0.113.99' };
  expect(callerAddress({ trusted, header: 'x-forwarded-for' }, peer, headers)).toBe(address);
});

test.each<[string, string, string]>([
  ['a bare address', 'for=198.51.100.1', '198.51.100.1'],
  ['among other parameters, in any case', 'proto=https;For=198.51.100.1;by=203.0.113.43', '198.51.100.1'],
  ['IPv6 in quotes, with a port', 'for="[2001:db8:2::7]:4711"', '2001:db8:2::7'],
  ['several hops', 'for=203.0.113.7, for=198.51.100.1;proto=http, for=10.0.0.2', '198.51.100.1'],
  ['a hop that hides its name', 'for=198.51.100.1, for=_hidden', ''],
  ['a hop without a name', 'for=198.51.100.1, proto=https', ''],
])('%s: Forwarded', (_, forwarded, address) => {
  const headers = { forwarded, 'x-forwarded-for': '203.0.113.99' };
  expect(callerAddress({ trusted, header: 'forwarded' }, '10.0.0.1', headers)).toBe(address);
});

test('without trusted proxies the peer is the caller', () => {
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  expect(callerAddress({ trusted: [], header: 'x-forwarded-for' }, '10.0.0.1', headers)).toBe('10.0.0.1');
});

test.each([
  ['one /64 is one caller', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2', true],
  ['two are two', '2001:db8:0:1::1', '2001:db8:0:2::1', false],
  ['IPv4 through an IPv6 socket is IPv4', '::ffff:192.0.2.1', '192.0.2.1', true],
  ['each IPv4 address is one', '192.0.2.1', '192.0.2.2', false],
  ['a bare prefix is not its own address', '2001:db8::', '', false],
])('%s', (_, one, other, isSame) => {
  expect(limitedAddress(one) === limitedAddress(other)).toBe(isSame);
});
