import { IsObject, IsString, ValidateIf } from 'class-validator';
import { parseBody } from './body.ts';
import { IsShape } from './shape.ts';

class Price {
  @IsString()
  currency!: string;
}

class Order {
  @IsString()
  name!: string;

  @IsShape(Price)
  price!: Price;

  @ValidateIf((_, value) => value !== undefined)
  @IsObject()
  metadata?: object;
}

const valid = { name: 'a', price: { currency: 'USD' } };

/** As it comes from the network: JSON can name what no literal can. */
const parsed = (json: string) => parseBody(Order, JSON.parse(json));
const pathsOf = async (body: object): Promise<readonly string[]> => {
  const result = await parsed(JSON.stringify(body));
  return result.ok ? [] : [...new Set(result.errors.map(({ path }) => path))];
};

describe('a body', () => {
  test('becomes its shape, nested shapes included', async () => {
    const result = await parsed(JSON.stringify(valid));
    expect(result.ok && result.body).toBeInstanceOf(Order);
    expect(result.ok && result.body.price).toBeInstanceOf(Price);
    expect(result.ok && { ...result.body, price: { ...result.body.price } }).toEqual({ ...valid, metadata: undefined });
  });

  test('keeps what is opaque as it was sent, whatever its members are named', async () => {
    const metadata = { constructor: 1, toJSON: 2, then: { constructor: { prototype: 3 } }, list: [{ constructor: 4 }] };
    const result = await parsed(JSON.stringify({ ...valid, metadata }));
    expect(result.ok && JSON.stringify(result.body.metadata)).toBe(JSON.stringify(metadata));
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'extra', 'then'])(
    'has no field %s, and none of its objects has',
    async (name) => {
      expect(await pathsOf({ ...valid, [name]: 1 })).toEqual([name]);
      expect(await pathsOf({ ...valid, price: { currency: 'USD', [name]: 1 } })).toEqual([`price.${name}`]);
    },
  );

  test.each([
    ['{"name":"a","price":{"currency":"USD"},"__proto__":{"x":1}}', '__proto__'],
    ['{"name":"a","price":{"currency":"USD"},"metadata":{"a":[{"__proto__":1}]}}', 'metadata.a.0.__proto__'],
    ['{"name":"a","price":{"currency":"USD"},"metadata":{"a":"\\ud800"}}', 'metadata.a'],
    ['{"name":"a\\udc00","price":{"currency":"USD"}}', 'name'],
    ['{"name":"a\\u0000","price":{"currency":"USD"}}', 'name'],
  ])('holds nothing that cannot be kept: %s', async (json, path) => {
    const result = await parsed(json);
    expect(result.ok ? [] : result.errors.map((error) => error.path)).toEqual([path]);
  });

  test('may hold any character, pairs of surrogates included', async () => {
    expect((await parsed(JSON.stringify({ ...valid, name: 'a😀\u0001é' }))).ok).toBe(true);
  });

  test.each([undefined, null, 'USD', [], [{ currency: 'USD' }], 5])(
    'has an object where a shape is, not %j',
    async (price) => {
      const result = await parsed(JSON.stringify({ ...valid, price }));
      expect(result).toEqual({ ok: false, errors: [{ path: 'price', message: 'must be an object' }] });
    },
  );

  test.each(['null', '[]', '"a"', '1', 'true'])('is an object, not %s', async (json) => {
    expect(await parsed(json)).toEqual({
      ok: false,
      errors: [{ path: '', message: 'The body must be a JSON object.' }],
    });
  });
});
