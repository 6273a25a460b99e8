import type { ErrorObject } from 'ajv';
import type { FieldProblem } from '../../domain/errors';

const MAX_PROBLEMS = 50;
const MAX_PARTS = 32;
const MAX_PART_LENGTH = 128;
/** ajv parameters with the name of the affected member, for errors whose path names only the object. */
const MEMBER_PARAMS = ['missingProperty', 'additionalProperty', 'unevaluatedProperty', 'propertyName'];

/** Converts ajv errors to field problems of `value`, without duplicates; `loc` is relative to the value. */
export function toFieldProblems(errors: readonly ErrorObject[], value: unknown): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const error of inOne(errors)) {
    if (error.keyword === 'if' || (error.propertyName !== undefined && error.keyword !== 'propertyNames'))
      continue;
    const problem = toFieldProblem(error, value);
    problems.set(JSON.stringify([problem.loc, problem.type, problem.msg]), problem);
    if (problems.size >= MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/**
 * A value that is none of some words, where a list of them would do too, has one problem: what it may be. So it is with
 * the `type` of a schema. Without this, each alternative reports a problem of its own, and none names the words.
 */
function inOne(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>();
  const merged = errors.map((error) => {
    if (error.keyword !== 'anyOf') return error;
    const parts = errors.filter(
      (each) => each.instancePath === error.instancePath && each !== error && isSimple(each.keyword),
    );
    const words = parts
      .map(({ params }) => (params as { allowedValues?: unknown }).allowedValues)
      .find(Array.isArray);
    if (!words) return error;
    for (const part of parts) dropped.add(part);
    const orList = parts.some(({ params }) => (params as { type?: unknown }).type === 'array');
    return { ...error, message: `must be one of ${words.join(', ')}${orList ? ', or a list of them' : ''}` };
  });
  return merged.filter((error) => !dropped.has(error));
}

const isSimple = (keyword: string) => keyword === 'enum' || keyword === 'type' || keyword === 'const';

function toFieldProblem(error: ErrorObject, value: unknown): FieldProblem {
  const loc = locate(error.instancePath, value);
  const params = error.params as Record<string, unknown>;
  for (const name of MEMBER_PARAMS) {
    const member = params[name];
    if (typeof member === 'string') loc.push(shorten(member));
  }
  return { loc, msg: (error.message ?? error.keyword).slice(0, 300), type: error.keyword };
}

/** Splits a JSON pointer: numbers for array indexes, names otherwise. */
function locate(pointer: string, value: unknown): FieldProblem['loc'] {
  const loc: FieldProblem['loc'] = [];
  let at: unknown = value;
  for (const raw of pointer.split('/').slice(1, MAX_PARTS + 1)) {
    const part = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    loc.push(Array.isArray(at) ? Number(part) : shorten(part));
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined;
  }
  return loc;
}

function shorten(part: string): string {
  return part.length > MAX_PART_LENGTH ? `${part.slice(0, MAX_PART_LENGTH)}…` : part;
}
