import { IsObject, IsString } from 'class-validator';
import { parseBody } from './input.ts';
import { MayBeLeftOut } from './rules.ts';
import { IsShape, oneOf } from './shape.ts';

class Price {
  @IsString()
  currency!: string;
}

class Order {
  @IsString()
  name!: string;

  @IsShape(Price)
  price!: Price;

  @MayBeLeftOut()
  @IsObject()
  metadata?: object;
}

const valid = { name: 'a', price: { currency: 'USD' } };

/** As it comes from the network: JSON can name what no literal can. */
const parsed = (json: string) => parseBody(Order, JSON.parse(json));
const pathsOf = (body: object): readonly string[] => {
  const result = parsed(JSON.stringify(body));
  return result.ok ? [] : [...new Set(result.errors.map(({ path }) => path))];
};

describe('a body', () => {
  test('becomes its shape, nested shapes included', () => {
    const result = parsed(JSON.stringify(valid));
    expect(result.ok && result.value).toBeInstanceOf(Order);
    expect(result.ok && result.value.price).toBeInstanceOf(Price);
    expect(result.ok && { ...result.value, price: { ...result.value.price } }).toEqual({
      ...valid,
      metadata: undefined,
    });
  });

  test('keeps what is opaque as it was sent, whatever its members are named', () => {
    const metadata = { constructor: 1, toJSON: 2, then: { constructor: { prototype: 3 } }, list: [{ constructor: 4 }] };
    const result = parsed(JSON.stringify({ ...valid, metadata }));
    expect(result.ok && JSON.stringify(result.value.metadata)).toBe(JSON.stringify(metadata));
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'extra', 'then'])(
    'has no field %s, and none of its objects has',
    (name) => {
      expect(pathsOf({ ...valid, [name]: 1 })).toEqual([name]);
      expect(pathsOf({ ...valid, price: { currency: 'USD', [name]: 1 } })).toEqual([`price.${name}`]);
    },
  );

  test.each([
    ['{"name":"a","price":{"currency":"USD"},"__proto__":{"x":1}}', '__proto__'],
    ['{"name":"a","price":{"currency":"USD"},"metadata":{"a":[{"__proto__":1}]}}', 'metadata.a.0.__proto__'],
    ['{"name":"a","price":{"currency":"USD"},"metadata":{"a":"\\ud800"}}', 'metadata.a'],
    ['{"name":"a\\udc00","price":{"currency":"USD"}}', 'name'],
    ['{"name":"a\\u0000","price":{"currency":"USD"}}', 'name'],
  ])('holds nothing that cannot be kept: %s', (json, path) => {
    const result = parsed(json);
    expect(result.ok ? [] : result.errors.map((error) => error.path)).toEqual([path]);
  });

  test('may hold any character, pairs of surrogates included', () => {
    expect(parsed(JSON.stringify({ ...valid, name: 'a😀\u0001é' })).ok).toBe(true);
  });

  test.each([undefined, null, 'USD', [], [{ currency: 'USD' }], 5])(
    'has an object where a shape is, not %j',
    (price) => {
      const result = parsed(JSON.stringify({ ...valid, price }));
      expect(result).toEqual({ ok: false, errors: [{ path: 'price', message: 'must be an object' }] });
    },
  );

  test.each(['null', '[]', '"a"', '1', 'true'])('is an object, not %s', (json) => {
    expect(parsed(json)).toEqual({
      ok: false,
      errors: [{ path: '', message: 'The body must be a JSON object.' }],
    });
  });
});

describe('a body of one of several shapes', () => {
  class ByName {
    @IsString()
    type!: 'name';
    @IsString()
    name!: string;
  }
  class ByPrice {
    @IsString()
    type!: 'price';
    @IsShape(Price)
    price!: Price;
  }
  const Either = oneOf('type', { name: ByName, price: ByPrice });
  const faultsOf = (body: object) => {
    const result = parseBody(Either, body);
    return result.ok ? result.value.constructor : result.errors;
  };

  test('is of the shape that it says', () => {
    expect(faultsOf({ type: 'name', name: 'a' })).toBe(ByName);
    expect(faultsOf({ type: 'price', price: { currency: 'USD' } })).toBe(ByPrice);
  });
  test('is refused by the rules of that shape', () => {
    expect(faultsOf({ type: 'name', price: { currency: 'USD' } })).toEqual([
      { path: 'price', message: 'is not a field of this request' },
      { path: 'name', message: 'must be a string' },
    ]);
  });
  test.each([{}, { type: 'other' }, { type: 'constructor' }, { type: null }])('says one of them, unlike %j', (body) => {
    expect(faultsOf(body)).toEqual([{ path: 'type', message: 'must be name or price' }]);
  });
});
