import { newSecret, SettingInvalid } from '@causeway/settings';
import { gatewayConfig } from './config.ts';

const key = '07'.repeat(32);
const env = {
  CAUSEWAY_DATABASE_URL: 'postgres://x',
  CAUSEWAY_API_KEY_SECRET: key,
  CAUSEWAY_CURSOR_SECRET: key,
  CAUSEWAY_TOKEN_KEYS: newSecret('CAUSEWAY_TOKEN_KEYS'),
};

test('nothing is in front of a gateway that is told nothing', () => {
  const { publicUrl, proxies } = gatewayConfig(env);
  expect({ publicUrl, proxies }).toEqual({ publicUrl: undefined, proxies: { trusted: [], header: 'x-forwarded-for' } });
});

test('the public address stays as it is written, and proxies are ranges', () => {
  const front = {
    CAUSEWAY_PUBLIC_URL: 'https://bank.example/api',
    CAUSEWAY_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
    CAUSEWAY_PROXY_HEADER: 'forwarded',
  };
  expect(gatewayConfig({ ...env, ...front })).toMatchObject({
    publicUrl: 'https://bank.example/api',
    proxies: { trusted: ['10.0.0.0/8', '2001:db8::1/128'], header: 'forwarded' },
  });
});

test.each([
  ['CAUSEWAY_PUBLIC_URL', 'bank.example'],
  ['CAUSEWAY_PUBLIC_URL', 'ftp://bank.example'],
  ['CAUSEWAY_PUBLIC_URL', 'https://user@bank.example'],
  ['CAUSEWAY_PUBLIC_URL', 'https://bank.example/?a=b'],
  ['CAUSEWAY_TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
  ['CAUSEWAY_PROXY_HEADER', 'via'],
])('%s is not %s', (name, value) => {
  expect(() => gatewayConfig({ ...env, [name]: value })).toThrow(SettingInvalid);
  expect(() => gatewayConfig({ ...env, [name]: value })).toThrow(name);
});
