import { SettingInvalid } from '@causeway/settings';

const forms: readonly (readonly [RegExp, BufferEncoding])[] = [
  [/^[0-9a-f]{64}$/i, 'hex'],
  [/^[0-9a-z+/]{43}=?$/i, 'base64'],
  [/^[0-9a-z_-]{43}=?$/i, 'base64url'],
];

/** The master key as an operator writes it: 32 bytes in hex or base64. The message never repeats the text. */
export const masterKeyFrom = (text: string): Buffer => {
  const trimmed = text.trim();
  const form = forms.find(([pattern]) => pattern.test(trimmed));
  if (form === undefined) {
    throw new SettingInvalid(
      'CAUSEWAY_MASTER_KEY must be 32 bytes, written as 64 hex digits or in base64: openssl rand -hex 32',
    );
  }
  return Buffer.from(trimmed, form[1]);
};
