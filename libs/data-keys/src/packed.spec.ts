import { randomBytes } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { pack, unpack } from './packed.ts';

const row = (n: number) => ({ id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`, amount: `-${n}.17` });
const rows = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, n) => row(n))));

describe('what is packed', () => {
  test('comes out as it went in, whatever its size and content', async () => {
    for (const plain of [Buffer.alloc(0), Buffer.from('x'), randomBytes(1023), randomBytes(5000), rows]) {
      expect((await unpack(await pack(plain))).equals(plain)).toBe(true);
    }
  });

  test('is a fraction of what repeats itself, three quarters of base64, and never more than a byte longer', async () => {
    expect((await pack(rows)).length).toBeLessThan(rows.length / 4);
    const base64 = Buffer.from(randomBytes(60_000).toString('base64'));
    expect((await pack(base64)).length).toBeLessThan(base64.length * 0.76);
    expect(await pack(randomBytes(5000))).toHaveLength(5001);
  });

  test('is refused when it would unpack to more than any append holds', async () => {
    const bomb = Buffer.concat([Buffer.of(1), brotliCompressSync(Buffer.alloc(65 * 1024 * 1024))]);
    expect(bomb.length).toBeLessThan(1000);
    await expect(unpack(bomb)).rejects.toThrow(/larger than/);
  });

  test('is refused when it was not packed', async () => {
    await expect(unpack(Buffer.from('[]'))).rejects.toThrow('neither');
    await expect(unpack(Buffer.alloc(0))).rejects.toThrow('neither');
  });
});
