import { getMetadataStorage, IsObject, ValidateNested } from 'class-validator';
import type { FieldError } from './problem.ts';
import { readingOf } from './rules.ts';

/** A class whose members say by decorator what they may hold. */
export type Shape<B extends object = object> = new () => B;

const nestedShapes = new WeakMap<object, Map<string | symbol, Shape>>();

/** The member is an object of this shape. */
export const IsShape =
  (shape: Shape): PropertyDecorator =>
  (prototype, name) => {
    const declared = nestedShapes.get(prototype) ?? new Map<string | symbol, Shape>();
    nestedShapes.set(prototype, declared.set(name, shape));
    IsObject()(prototype, name);
    ValidateNested()(prototype, name);
  };

export const nestedShapeOf = (prototype: object, name: string): Shape | undefined =>
  nestedShapes.get(prototype)?.get(name);

const alternatives = new WeakMap<Shape, Alternatives>();
type Alternatives = Readonly<{ by: string; shapes: Readonly<Record<string, Shape>> }>;

/** A body that is of one of several shapes: the member `by` says which. Stands for them where a shape is asked for. */
export const oneOf = <S extends Readonly<Record<string, Shape>>>(
  by: string,
  shapes: S,
): Shape<InstanceType<S[keyof S]>> => {
  const choice = class {} as Shape<InstanceType<S[keyof S]>>;
  alternatives.set(choice, { by, shapes });
  return choice;
};

export const alternativesOf = (shape: Shape): Alternatives | undefined => alternatives.get(shape);

type Chosen<B extends object> = Readonly<{ shape: Shape<B> | undefined; errors: readonly FieldError[] }>;

/** The shape that a body is to have: the one declared, or the alternative that the body says. */
export const chosen = <B extends object>(declared: Shape<B>, raw: object): Chosen<B> => {
  const choice = alternatives.get(declared);
  if (choice === undefined) return { shape: declared, errors: [] };
  const { by, shapes } = choice;
  const said = Object.hasOwn(raw, by) ? (raw as Readonly<Record<string, unknown>>)[by] : undefined;
  if (typeof said === 'string' && Object.hasOwn(shapes, said)) return { shape: shapes[said] as Shape<B>, errors: [] };
  return { shape: undefined, errors: [{ path: by, message: `must be ${Object.keys(shapes).join(' or ')}` }] };
};

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a name that a client made up, so much is told back. */
const pathLengthMax = 100;

export const isNoField = (path: string, inQuery = false): FieldError => ({
  path: path.slice(0, pathLengthMax),
  message: inQuery ? 'is not a parameter of this endpoint' : 'is not a field of this request',
});

type Shaped<B> = Readonly<{ value: B; errors: readonly FieldError[] }>;

/** The members that a shape declares, each with how many elements it may hold, where it may hold any. */
const declaredBy = (shape: Shape): ReadonlyMap<string, number> => {
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
const declarations = new WeakMap<Shape, ReadonlyMap<string, number>>();

type Place = Readonly<{ parent?: string; fromText?: boolean }>;

/** What a query parameter says, as its rules want it. */
const read = (prototype: object, name: string, written: unknown): unknown =>
  typeof written === 'string' ? (readingOf(prototype, name)?.(written) ?? written) : written;

/**
 * The members of what was sent as an instance of its shape, ready to be validated, and beside it the names that no shape
 * declares. What is no shape stays the very value that was sent; but a list that is too long is cut off behind the first
 * element too many: its length is refused without a look at the rest. `fromText`: members come from a query string.
 */
export const shaped = <B extends object>(
  shape: Shape<B>,
  raw: object,
  { parent = '', fromText }: Place = {},
): Shaped<B> => {
  const value = new shape();
  const prototype = shape.prototype as object;
  const declared = declaredBy(shape);
  const nested = nestedShapes.get(prototype);
  const errors: FieldError[] = [];
  const take = (name: string, member: unknown) => Object.assign(value, { [name]: member });
  for (const [name, sent] of Object.entries(raw)) {
    const path = parent === '' ? name : `${parent}.${name}`;
    const elementsMax = declared.get(name);
    const inner = nested?.get(name);
    if (elementsMax === undefined) errors.push(isNoField(path, fromText));
    else if (fromText === true && typeof sent !== 'string') errors.push({ path, message: 'must be given only once' });
    else if (fromText === true) take(name, read(prototype, name, sent));
    else if (inner === undefined) take(name, Array.isArray(sent) ? sent.slice(0, elementsMax + 1) : sent);
    else if (isObject(sent)) {
      const member = shaped(inner, sent, { parent: path });
      errors.push(...member.errors);
      take(name, member.value);
      // Is refused as null is: the validator would look into a list for the objects it holds.
    } else take(name, null);
  }
  return { value, errors };
};
