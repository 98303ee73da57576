import { newSealingKey, sealingKey, sealUnder, unsealUnder } from './envelope.ts';

const key = newSealingKey();
const plain = Buffer.from('what the bank said');

describe('a sealed value', () => {
  test('opens under its key and context', () => {
    for (const value of [plain, Buffer.alloc(0), Buffer.alloc(200_000, 'x')]) {
      expect(unsealUnder(key, sealUnder(key, value, 'here'), 'here').equals(value)).toBe(true);
    }
  });

  test('is never the same twice, and shows nothing of what is in it', () => {
    const sealed = Array.from({ length: 100 }, () => sealUnder(key, plain, 'here').toString('latin1'));
    expect(new Set(sealed).size).toBe(100);
    expect(sealed.filter((value) => value.includes('bank'))).toEqual([]);
  });

  test('does not open at another place', () => {
    expect(() => unsealUnder(key, sealUnder(key, plain, 'here'), 'there')).toThrow('another place');
  });

  test('does not open under another key, and says so', () => {
    expect(() => unsealUnder(newSealingKey(), sealUnder(key, plain, 'here'), 'here')).toThrow(
      'sealed under another key',
    );
  });

  test('does not open when any of its bytes was changed, or it was cut', () => {
    const sealed = sealUnder(key, plain, 'here');
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(sealed.readUInt8(at) ^ 1, at);
      expect(() => unsealUnder(key, altered, 'here')).toThrow(/altered|another key|version/);
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => unsealUnder(key, sealed.subarray(0, length), 'here')).toThrow(/altered|too short/);
    }
  });

  test('needs a key of 32 bytes', () => {
    expect(() => sealingKey(Buffer.alloc(16))).toThrow('32 bytes, not 16');
  });
});
