import { IsObject, ValidateNested } from 'class-validator';
import type { FieldError } from './problem.ts';

/** A class whose members say by decorator what they may hold. */
export type BodyShape<B extends object = object> = new () => B;

const nestedShapes = new WeakMap<object, Map<string | symbol, BodyShape>>();

/** The member is an object of this shape. */
export const IsShape =
  (shape: BodyShape): PropertyDecorator =>
  (prototype, name) => {
    const declared = nestedShapes.get(prototype) ?? new Map<string | symbol, BodyShape>();
    nestedShapes.set(prototype, declared.set(name, shape));
    IsObject()(prototype, name);
    ValidateNested()(prototype, name);
  };

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isNoField = (path: string): FieldError => ({ path, message: 'is not a field of this request' });

export type Shaped<B> = Readonly<{ body: B; errors: readonly FieldError[] }>;

/**
 * The members of a parsed body as an instance of its shape, ready to be validated. What no shape declares as one of its
 * own stays the very value that was sent. Names that every object inherits are told here: a validator that looks for
 * their declaration finds one.
 */
export const shaped = <B extends object>(shape: BodyShape<B>, raw: object, parent = ''): Shaped<B> => {
  const body = new shape();
  const nested = nestedShapes.get(shape.prototype as object);
  const errors: FieldError[] = [];
  const take = (name: string, value: unknown) => Object.assign(body, { [name]: value });
  for (const [name, value] of Object.entries(raw)) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const inner = nested?.get(name);
    if (name in Object.prototype) errors.push(isNoField(path));
    else if (inner === undefined) take(name, value);
    else if (isObject(value)) {
      const member = shaped(inner, value, path);
      errors.push(...member.errors);
      take(name, member.body);
      // Is refused as null is: the validator would look into a list for the objects it holds.
    } else take(name, null);
  }
  return { body, errors };
};
