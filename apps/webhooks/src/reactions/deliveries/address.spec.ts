import { allowedHosts, isPublicAddress, urlRefusal } from './address.ts';

const none = allowedHosts([]);

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::808:808',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'example.com',
  '',
])('%s is no address to send to', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ['https://2130706433/', 'must be a public address'],
  ['https://0x7f.1/', 'must be a public address'],
  ['https://0177.0.0.1/', 'must be a public address'],
  ['https://127.1/', 'must be a public address'],
  ['https://[::ffff:127.0.0.1]/', 'must be a public address'],
  ['https://[::1]:8443/', 'must be a public address'],
  ['https://localhost/', 'must be a public address'],
  ['https://LOCALHOST./', 'must be a public address'],
  ['https://api.localhost/', 'must be a public address'],
  ['https://169.254.169.254/latest/meta-data', 'must be a public address'],
  ['https://example.com@127.0.0.1/', 'must not carry credentials'],
  ['http://example.com/', 'must start with https://'],
  ['ftp://example.com/', 'must start with https://'],
  ['https://', 'must be a URL'],
])('%s is refused: %s', (url, refusal) => expect(urlRefusal(url, none)).toBe(refusal));

test.each(['https://example.com/hook', 'https://example.com:8443/', 'https://8.8.8.8/', 'https://[2606:4700::1111]/'])(
  '%s may be registered',
  (url) => expect(urlRefusal(url, none)).toBeUndefined(),
);

describe('an allowed host', () => {
  const allowed = allowedHosts(['127.0.0.1:9000', 'localhost:80', '[::1]:9000']);
  test.each(['http://127.0.0.1:9000/a', 'https://127.0.0.1:9000/', 'http://localhost/', 'http://[::1]:9000/'])(
    'may be %s',
    (url) => expect(urlRefusal(url, allowed)).toBeUndefined(),
  );
  test.each(['http://127.0.0.1:9001/', 'https://127.0.0.1/', 'http://localhost:9000/', 'ftp://127.0.0.1:9000/'])(
    'is no other: %s',
    (url) => expect(urlRefusal(url, allowed)).toBeDefined(),
  );
});
