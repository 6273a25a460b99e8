/** The fields of questions: which schemas they may have, and which values match one. */
import type { FieldProblem } from '../errors';
import { isRecord } from '../json-value';

/** A property of a question's schema. */
export interface QuestionField {
  type: 'string' | 'number' | 'integer' | 'boolean';
  title?: string;
  description?: string;
  default?: unknown;
  enum?: (string | number)[];
  enumNames?: string[];
  oneOf?: { const: string; title: string }[];
  minLength?: number;
  maxLength?: number;
  format?: string;
  minimum?: number;
  maximum?: number;
}

const SECRET =
  /pass(?:word|code|phrase|wort)|contrase|mot.?de.?passe|\bpwd\b|\bpin\b|\bcvv\b|\bcvc\b|secret|api.?key|access.?token|private.?key|credit.?card|card.?number/i;

/** Whether a field asks for a secret, by its name, title or format. The marketplace would read the answer. */
export function asksForSecret(name: string, field: unknown): boolean {
  const { title, format } = isRecord(field) ? field : {};
  return format === 'password' || SECRET.test(name) || (typeof title === 'string' && SECRET.test(title));
}

type Loc = readonly (string | number)[];
type Found = Pick<FieldProblem, 'msg' | 'type'>;
type Accepts = (value: unknown) => boolean;

const isText: Accepts = (value) => typeof value === 'string';
const isNumber: Accepts = (value) => typeof value === 'number' && Number.isFinite(value);
const isInteger: Accepts = (value) => Number.isSafeInteger(value);
const isCount: Accepts = (value) => isInteger(value) && Number(value) >= 0;
const isListOf = (accepts: Accepts): Accepts => {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(accepts);
};

const TYPES: Readonly<Record<QuestionField['type'], Accepts>> = {
  string: isText,
  number: isNumber,
  integer: isInteger,
  boolean: (value) => typeof value === 'boolean',
};

const EMAIL = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,8}$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  email: (value) => value.length <= 254 && EMAIL.test(value),
  uri: (value) => /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/.test(value) && isAddress(value),
  date: isDate,
  'date-time': (value) => {
    const [, date = '', hours, minutes, seconds] = TIME.exec(value) ?? [];
    return isDate(date) && Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) <= 60;
  },
};
const FORMAT_NAMES = Object.keys(FORMATS).join(', ');

function isAddress(value: string): boolean {
  try {
    return new URL(value).href !== '';
  } catch {
    return false;
  }
}

function isDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return (
    !Number.isNaN(date.getTime()) &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day)
  );
}

const COMMON: Readonly<Record<string, Accepts>> = {
  type: isText,
  title: isText,
  description: isText,
  default: () => true,
};
const OF_NUMBERS = (accepts: Accepts) => ({
  ...COMMON,
  enum: isListOf(accepts),
  minimum: isNumber,
  maximum: isNumber,
});
const isTitled: Accepts = (value) =>
  isRecord(value) && isText(value['const']) && isText(value['title']) && Object.keys(value).length === 2;

/** The members that a field of each type may have. */
const MEMBERS: Readonly<Record<QuestionField['type'], Readonly<Record<string, Accepts>>>> = {
  string: {
    ...COMMON,
    enum: isListOf(isText),
    enumNames: isListOf(isText),
    oneOf: isListOf(isTitled),
    minLength: isCount,
    maxLength: isCount,
    format: (value) => isText(value) && Object.hasOwn(FORMATS, String(value)),
  },
  number: OF_NUMBERS(isNumber),
  integer: OF_NUMBERS(isInteger),
  boolean: COMMON,
};
const WRONG: Readonly<Record<string, string>> = {
  enum: 'must be a list of values of the type',
  enumNames: 'must be a list of texts',
  oneOf: 'must be a list of {const, title}',
  minLength: 'must be a whole number of at least 0',
  maxLength: 'must be a whole number of at least 0',
  minimum: 'must be a number',
  maximum: 'must be a number',
  format: `must be one of ${FORMAT_NAMES}`,
};

/** What is wrong with the schema of a field, at `loc`. */
export function schemaOfFieldProblems(schema: unknown, loc: Loc): FieldProblem[] {
  const at = (name: string, msg: string, type: string) => ({ loc: [...loc, name], msg, type });
  if (!isRecord(schema)) return [{ loc: [...loc], msg: 'must be a JSON Schema', type: 'type' }];
  const { type } = schema;
  if (typeof type !== 'string' || !Object.hasOwn(TYPES, type))
    return [at('type', `must be one of ${Object.keys(TYPES).join(', ')}`, 'enum')];
  const members = MEMBERS[type as QuestionField['type']];
  const problems = Object.entries(schema).flatMap(([name, value]): FieldProblem[] => {
    const accepts = Object.hasOwn(members, name) ? members[name] : undefined;
    if (!accepts) return [at(name, `is not supported for a ${type}`, 'additionalProperties')];
    return accepts(value) ? [] : [at(name, WRONG[name] ?? 'must be a text', 'type')];
  });
  return problems.length > 0 ? problems : contradictions(schema as unknown as QuestionField, at);
}

/** Members that fit the type, and not each other. */
function contradictions(
  field: QuestionField,
  at: (name: string, msg: string, type: string) => FieldProblem,
): FieldProblem[] {
  const { minLength, maxLength, minimum, maximum, enumNames, default: preset } = field;
  const problems: FieldProblem[] = [];
  if (minLength !== undefined && maxLength !== undefined && minLength > maxLength)
    problems.push(at('maxLength', 'must be at least minLength', 'minimum'));
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    problems.push(at('maximum', 'must be at least minimum', 'minimum'));
  if (enumNames && enumNames.length !== field.enum?.length)
    problems.push(at('enumNames', 'must name each value of enum', 'minItems'));
  const wrong = preset === undefined || problems.length > 0 ? undefined : fieldProblem(field, preset);
  if (wrong) problems.push(at('default', wrong.msg, wrong.type));
  return problems;
}

const NOUNS: Readonly<Record<QuestionField['type'], string>> = {
  string: 'must be a text',
  number: 'must be a number',
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

/** What is wrong with a value; undefined if it matches the field. */
export function fieldProblem(field: QuestionField, value: unknown): Found | undefined {
  if (!TYPES[field.type](value)) return { msg: NOUNS[field.type], type: 'type' };
  const choices: readonly unknown[] | undefined = field.oneOf?.map((one) => one.const) ?? field.enum;
  if (choices && !choices.includes(value))
    return { msg: `must be one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`, type: 'enum' };
  if (typeof value === 'string') return textProblem(field, value);
  return typeof value === 'number' ? numberProblem(field, value) : undefined;
}

function textProblem(
  { minLength = 0, maxLength = Infinity, format }: QuestionField,
  value: string,
): Found | undefined {
  const length = [...value].length;
  if (length < minLength) return { msg: `must have at least ${minLength} characters`, type: 'minLength' };
  if (length > maxLength) return { msg: `must have at most ${maxLength} characters`, type: 'maxLength' };
  const accepts = format === undefined ? undefined : FORMATS[format];
  return accepts && !accepts(value) ? { msg: `must be of the format ${format}`, type: 'format' } : undefined;
}

function numberProblem(
  { minimum = -Infinity, maximum = Infinity }: QuestionField,
  value: number,
): Found | undefined {
  if (value < minimum) return { msg: `must be at least ${minimum}`, type: 'minimum' };
  return value > maximum ? { msg: `must be at most ${maximum}`, type: 'maximum' } : undefined;
}
