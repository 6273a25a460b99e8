import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { FieldProblem } from '../../domain/errors';
import { isCursor } from '../ids/cursor';
import { sentenceOfFormat, sentenceOfPattern } from '../../domain/form-rules';
import { parseInstant } from '../../domain/instant';
import { isStorable } from '../../domain/json-value';

/**
 * Validates requests (and, in tests, responses) against the service's own, trusted schemas. Untrusted schemas go to
 * the schema worker. Every invalid field gives one problem, so that a client can fix all of them at once.
 */
export type Check = (value: unknown, nodes?: number) => FieldProblem[];

/**
 * Documents with more values than this report only their first problem, because collecting all would be too
 * expensive.
 */
const MAX_NODES_FOR_ALL_PROBLEMS = 20_000;
const MAX_PROBLEMS = 200;
/** Maximum number of ajv errors that are processed; unions report several for one field. */
const MAX_FINDINGS = 1_000;
const MAX_SHOWN_NAME = 80;
/** For a field whose form has no sentence; regular expressions are not shown. */
const UNKNOWN_FORM = 'has a form that this field does not accept';

const instances = new Map<string, Ajv>();

/** The process's instance for these options. An instance compiles each schema object once. */
function ajvOf(allErrors: boolean, useDefaults: boolean): Ajv {
  const key = `${allErrors} ${useDefaults}`;
  const known = instances.get(key);
  if (known) return known;
  const ajv = new Ajv({
    allErrors,
    verbose: allErrors,
    useDefaults,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    validateSchema: false,
    addUsedSchema: false,
  });
  addFormats(ajv, ['date-time', 'date', 'uri', 'email', 'uuid']);
  ajv.addFormat('text', isStorable);
  ajv.addFormat('instant', (text: string) => parseInstant(text) !== undefined);
  ajv.addFormat('cursor', isCursor);
  instances.set(key, ajv);
  return ajv;
}

/**
 * Compiles a schema to a check. `where` is the first element of every problem's `loc` (`body`, `query`, …). With
 * `defaults`, the check writes the schema's defaults into absent fields of the value.
 */
export function compileCheck(schema: object, where: string, options: { defaults?: boolean } = {}): Check {
  const defaults = options.defaults ?? false;
  let first: ValidateFunction | undefined;
  let all: ValidateFunction | undefined;
  return (value, nodes = 0) => {
    first ??= ajvOf(false, defaults).compile(schema);
    if (first(value)) return [];
    if (nodes > MAX_NODES_FOR_ALL_PROBLEMS) return toProblems(first.errors ?? [], where);
    all ??= ajvOf(true, false).compile(schema);
    all(value);
    return toProblems(all.errors ?? [], where);
  };
}

function toProblems(errors: ErrorObject[], where: string): FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  for (const error of settleUnions(errors.slice(0, MAX_FINDINGS))) {
    const loc = [where, ...locationOf(error)];
    const key = JSON.stringify(loc);
    if (!problems.has(key)) problems.set(key, { loc, msg: messageOf(error), type: typeOf(error) });
    if (problems.size >= MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/**
 * Reduces the errors of failed unions, which ajv reports for every branch. Keeps the errors of the single branch
 * whose type matches the value; otherwise keeps only the error of the union.
 */
function settleUnions(errors: ErrorObject[]): ErrorObject[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  const dropped = new Set<ErrorObject>();
  for (const union of unions) {
    const inside = errors.filter(
      (error) =>
        error.schemaPath.startsWith(`${union.schemaPath}/`) &&
        error.instancePath.startsWith(union.instancePath),
    );
    const close = branchesOf(inside, union).filter(
      (branch) => !branch.some((error) => isMismatch(error, union)),
    );
    const kept = new Set<ErrorObject>(close.length === 1 ? close[0] : []);
    for (const error of inside) if (!kept.has(error)) dropped.add(error);
    if (kept.size > 0) dropped.add(union);
  }
  return errors.filter((error) => !dropped.has(error));
}

function branchesOf(errors: ErrorObject[], union: ErrorObject): ErrorObject[][] {
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const branch = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  return [...branches.values()];
}

/** True when the value is of a different kind than the branch, as opposed to wrong in a detail. */
function isMismatch(error: ErrorObject, union: ErrorObject): boolean {
  return error.instancePath === union.instancePath && ['type', 'const', 'enum'].includes(error.keyword);
}

function locationOf(error: ErrorObject): (string | number)[] {
  const loc: (string | number)[] = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      return /^(?:0|[1-9][0-9]{0,8})$/.test(name) ? Number(name) : shorten(name);
    });
  const extra: unknown =
    error.params['missingProperty'] ??
    error.params['additionalProperty'] ??
    error.params['unevaluatedProperty'];
  if (typeof extra === 'string') loc.push(shorten(extra));
  return loc;
}

function shorten(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name;
}

const TYPES: Record<string, string> = {
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  anyOf: 'union',
  oneOf: 'union',
  const: 'enum',
};

/** Formats whose problems have a type of their own. */
const FORMAT_TYPES: Readonly<Record<string, string>> = { instant: 'time', cursor: 'cursor' };

function typeOf(error: ErrorObject): string {
  if (error.keyword === 'format') return FORMAT_TYPES[String(error.params['format'])] ?? error.keyword;
  if (unionChoices(error)) return 'enum';
  return TYPES[error.keyword] ?? error.keyword;
}

function messageOf(error: ErrorObject): string {
  const choices = unionChoices(error);
  if (choices) return `must be one of ${choices.join(', ')}`;
  if (error.keyword === 'required') return 'is required';
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties')
    return 'is not a known field';
  if (error.keyword === 'enum')
    return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
  if (error.keyword === 'const') return `must be ${JSON.stringify(error.params['allowedValue'])}`;
  if (error.keyword === 'format') return sentenceOfFormat(String(error.params['format'])) ?? UNKNOWN_FORM;
  if (error.keyword === 'pattern') return sentenceOfPattern(String(error.params['pattern'])) ?? UNKNOWN_FORM;
  if (error.keyword === 'minLength') return `must have at least ${countOf(error, 'character')}`;
  if (error.keyword === 'maxLength') return `must have at most ${countOf(error, 'character')}`;
  if (error.keyword === 'minItems') return `must have at least ${countOf(error, 'item')}`;
  if (error.keyword === 'maxItems') return `must have at most ${countOf(error, 'item')}`;
  if (error.keyword === 'uniqueItems') return 'must not have an item twice';
  return typesOfUnion(error) ?? error.message ?? 'is not valid';
}

function countOf(error: ErrorObject, what: string): string {
  const limit = Number(error.params['limit']);
  return limit === 1 ? `1 ${what}` : `${limit} ${what}s`;
}

/** The types of a union, such as a number or null. */
function typesOfUnion({ keyword, schema }: ErrorObject): string | undefined {
  if (keyword !== 'anyOf' || !Array.isArray(schema)) return undefined;
  const types = schema.map((branch: { type?: unknown }) => branch.type);
  return types.every((type) => typeof type === 'string') ? `must be ${types.join(' or ')}` : undefined;
}

/** The constants of a union of constants, as TypeBox renders `Type.Union([Type.Literal(…), …])`. */
function unionChoices(error: ErrorObject): string[] | undefined {
  if (error.keyword !== 'anyOf' || !Array.isArray(error.schema)) return undefined;
  const choices = error.schema.map((branch: { const?: unknown }) => branch.const);
  return choices.every((choice) => choice !== undefined) ? choices.map(String) : undefined;
}
