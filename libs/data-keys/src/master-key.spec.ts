import { SettingInvalid } from '@causeway/settings';
import { masterKeyFrom } from './master-key.ts';

const bytes = Buffer.from(Array.from({ length: 32 }, (_, i) => 255 - i * 3));

describe('a master key', () => {
  test.each(['hex', 'base64', 'base64url'] as const)('may be written in %s', (form) => {
    expect(masterKeyFrom(`${bytes.toString(form)}\n`)).toEqual(bytes);
  });

  test.each([
    ['nothing', ''],
    ['a word', 'secret'],
    ['16 bytes', bytes.subarray(16).toString('hex')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
    ['hex with a wrong digit', `${bytes.toString('hex').slice(1)}g`],
    ['both alphabets of base64', `+_${bytes.toString('base64').slice(2)}`],
  ])('is not %s, and the error names the setting and does not repeat it', (_, text) => {
    const parse = (): Buffer => masterKeyFrom(text);
    expect(parse).toThrow(SettingInvalid);
    expect(parse).toThrow(/^CAUSEWAY_MASTER_KEY must be 32 bytes/);
    if (text !== '') expect(parse).not.toThrow(text);
  });
});
