import { publishedRegExp } from '../schema-regexp';
import { isMultipleOf } from './decimal';
import { equalItems, membership } from './equality';
import { failed, type Check } from './run';
import { isRecord } from '../../../domain/json-value';

/** Makes the check of a keyword that has no subschemas, from the keyword's value. */
type MakeCheck = (operand: never) => Check;

/** Returns the check of one keyword, or undefined if the keyword is unknown here or is an annotation. */
export function simpleCheck(keyword: string, operand: unknown): Check | undefined {
  const make = Object.hasOwn(SIMPLE, keyword) ? SIMPLE[keyword] : undefined;
  return make?.(operand as never);
}

const IS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isRecord,
};

function typeCheck(operand: string | readonly string[]): Check {
  const names = typeof operand === 'string' ? [operand] : operand;
  const isTypes = names.map((name) => IS_TYPE[name] ?? (() => false));
  const [only] = isTypes;
  const isOne = only && isTypes.length === 1 ? only : (value: unknown) => isTypes.some((is) => is(value));
  return (value, run) => isOne(value) || failed(run, 'type', `must be ${names.join(',')}`);
}

function constCheck(operand: unknown): Check {
  const isEqual = membership([operand]);
  return (value, run) => isEqual(value) || failed(run, 'const', 'must be equal to constant');
}

function enumCheck(operand: readonly unknown[]): Check {
  const isOne = membership(operand);
  return (value, run) => isOne(value) || failed(run, 'enum', 'must be equal to one of the allowed values');
}

const ofNumber =
  (keyword: string, sign: string, holds: (value: number, operand: number) => boolean): MakeCheck =>
  (operand: number) =>
  (value, run) =>
    typeof value !== 'number' || holds(value, operand) || failed(run, keyword, `must be ${sign} ${operand}`);

const ofSize =
  (keyword: string, bound: string, noun: string, sizeOf: (value: unknown) => number | undefined): MakeCheck =>
  (operand: number) =>
  (value, run) => {
    const size = sizeOf(value);
    if (size === undefined || (bound === 'more' ? size <= operand : size >= operand)) return true;
    return failed(run, keyword, `must NOT have ${bound} than ${operand} ${noun}`);
  };

const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const membersOf = (value: unknown) => (isRecord(value) ? Object.keys(value).length : undefined);

/** The number of code points, which is not counted where the number of code units decides. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  let length = value.length;
  for (let at = 0; at < value.length - 1; at += 1) {
    const isPair =
      (value.charCodeAt(at) & 0xfc00) === 0xd800 && (value.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) length -= 1;
  }
  return length;
}

function patternCheck(pattern: string): Check {
  const expression = publishedRegExp(pattern);
  return (value, run) =>
    typeof value !== 'string' ||
    expression.test(value) ||
    failed(run, 'pattern', `must match pattern "${pattern}"`);
}

const uniqueItems =
  (operand: boolean): Check =>
  (value, run) => {
    const pair = operand && Array.isArray(value) ? equalItems(value) : undefined;
    if (!pair) return true;
    const [first, second] = pair;
    return failed(
      run,
      'uniqueItems',
      `must NOT have duplicate items (items ## ${second} and ${first} are identical)`,
    );
  };

const required =
  (names: readonly string[]): Check =>
  (value, run) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue;
      isValid = failed(run, 'required', `must have required property '${name}'`, name);
      if (!run.report) return false;
    }
    return isValid;
  };

const dependentRequired = (operand: Readonly<Record<string, readonly string[]>>): Check => {
  const rules = Object.entries(operand);
  return (value, run) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const [name, names] of rules) {
      if (!Object.hasOwn(value, name)) continue;
      for (const missing of names) {
        if (Object.hasOwn(value, missing)) continue;
        isValid = failed(
          run,
          'dependentRequired',
          `must have property ${missing} when property ${name} is present`,
          missing,
        );
      }
    }
    return isValid;
  };
};

const SIMPLE: Readonly<Record<string, MakeCheck>> = {
  type: typeCheck,
  const: constCheck,
  enum: enumCheck,
  minimum: ofNumber('minimum', '>=', (value, least) => value >= least),
  maximum: ofNumber('maximum', '<=', (value, most) => value <= most),
  exclusiveMinimum: ofNumber('exclusiveMinimum', '>', (value, least) => value > least),
  exclusiveMaximum: ofNumber('exclusiveMaximum', '<', (value, most) => value < most),
  multipleOf: ofNumber('multipleOf', 'multiple of', isMultipleOf),
  minLength: ofSize('minLength', 'fewer', 'characters', lengthOf),
  maxLength: ofSize('maxLength', 'more', 'characters', lengthOf),
  minItems: ofSize('minItems', 'fewer', 'items', itemsOf),
  maxItems: ofSize('maxItems', 'more', 'items', itemsOf),
  minProperties: ofSize('minProperties', 'fewer', 'properties', membersOf),
  maxProperties: ofSize('maxProperties', 'more', 'properties', membersOf),
  pattern: patternCheck,
  uniqueItems,
  required,
  dependentRequired,
};
