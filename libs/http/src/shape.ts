import { getMetadataStorage, IsObject, ValidateNested } from 'class-validator';
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

/** Of a name that a client made up, so much is told back. */
const pathLengthMax = 100;

export const isNoField = (path: string): FieldError => ({
  path: path.slice(0, pathLengthMax),
  message: 'is not a field of this request',
});

export type Shaped<B> = Readonly<{ body: B; errors: readonly FieldError[] }>;

/** The members that a shape declares, each with how many elements it may hold, where it may hold any. */
const declaredBy = (shape: BodyShape): ReadonlyMap<string, number> => {
  const known = declarations.get(shape);
  if (known !== undefined) return known;
  const declared = new Map<string, number>();
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  for (const { propertyName, name, constraints } of rules) {
    const max = name === 'arrayMaxSize' ? (constraints[0] as number) : Infinity;
    declared.set(propertyName, Math.min(max, declared.get(propertyName) ?? Infinity));
  }
  declarations.set(shape, declared);
  return declared;
};
const declarations = new WeakMap<BodyShape, ReadonlyMap<string, number>>();

/**
 * The members of a parsed body as an instance of its shape, ready to be validated, and beside it the names that no shape
 * declares. What is no shape stays the very value that was sent; but a list that is too long is cut off behind the first
 * element too many: its length is refused without a look at the rest.
 */
export const shaped = <B extends object>(shape: BodyShape<B>, raw: object, parent = ''): Shaped<B> => {
  const body = new shape();
  const declared = declaredBy(shape);
  const nested = nestedShapes.get(shape.prototype as object);
  const errors: FieldError[] = [];
  const take = (name: string, value: unknown) => Object.assign(body, { [name]: value });
  for (const [name, value] of Object.entries(raw)) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const elementsMax = declared.get(name);
    const inner = nested?.get(name);
    if (elementsMax === undefined) errors.push(isNoField(path));
    else if (inner === undefined) take(name, Array.isArray(value) ? value.slice(0, elementsMax + 1) : value);
    else if (isObject(value)) {
      const member = shaped(inner, value, path);
      errors.push(...member.errors);
      take(name, member.body);
      // Is refused as null is: the validator would look into a list for the objects it holds.
    } else take(name, null);
  }
  return { body, errors };
};
