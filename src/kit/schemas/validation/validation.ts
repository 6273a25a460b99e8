/**
 * Validates JSON values against schemas of JSON Schema draft 2020-12 (ADR 0199). A schema becomes closures, so that
 * compiling takes the time of a walk and runs no generated code. Formats, `content…` and unknown words are annotations.
 * References stay inside the document, which is one schema resource: `$dynamicRef` then finds what `$ref` finds.
 */
import type { FieldProblem } from '../../../domain/errors';
import { isRecord } from '../../../domain/json-value';
import { visitSchema } from '../schema-walk';
import { itemChecks, unevaluatedItems } from './array-keywords';
import { allOf, anyOf, conditional, not, oneOf } from './logic-keywords';
import { dependentSchemas, memberChecks, propertyNames, unevaluatedProperties } from './object-keywords';
import { failed, isDone, mergeSeen, newSeen, type Check, type Report } from './run';
import { simpleCheck } from './simple-keywords';

type Schemas = Readonly<Record<string, unknown>>;
type Compile = (schema: unknown) => Check;

/** Time for collecting further problems of a value that is known to be invalid. */
const COLLECT_MS = 25;

/** Compiles a schema. The result returns every problem of a value, up to 50; `loc` is relative to the value. */
export function compileValidation(root: unknown): (value: unknown) => FieldProblem[] {
  const check = compileRoot(root);
  return (value) => {
    if (check(value, { report: undefined }, undefined)) return [];
    const report: Report = { at: [], problems: [], untilMs: performance.now() + COLLECT_MS };
    check(value, { report }, undefined);
    return distinct(report.problems);
  };
}

function distinct(problems: readonly FieldProblem[]): FieldProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function compileRoot(root: unknown): Check {
  const known = new Map<object, Check>();
  const waiting: (() => Check)[] = [];
  const { find } = visitSchema(root, { depth: Infinity, subschemas: Infinity });

  function refCheck(ref: unknown): Check {
    const target = typeof ref === 'string' && ref.startsWith('#') ? find(ref) : undefined;
    if (!target) throw new Error('a reference does not point to a subschema of this schema');
    // A schema may refer to one that is still being compiled.
    let check: Check | undefined;
    waiting.push(() => (check = compile(target.value)));
    return (value, run, seen) => (check ??= compile(target.value))(value, run, seen);
  }

  function compile(schema: unknown): Check {
    if (schema === true) return () => true;
    if (schema === false) return (_value, run) => failed(run, 'false schema', 'boolean schema is false');
    if (!isRecord(schema)) throw new Error('a schema must be an object or a boolean');
    const before = known.get(schema);
    if (before) return before;
    const check = schemaCheck(schema, compile, refCheck);
    known.set(schema, check);
    return check;
  }

  const check = compile(root);
  for (let next = waiting.pop(); next; next = waiting.pop()) next();
  return check;
}

function schemaCheck(schema: Schemas, compile: Compile, refCheck: (ref: unknown) => Check): Check {
  const checks: Check[] = [];
  for (const [keyword, operand] of Object.entries(schema)) {
    const check = simpleCheck(keyword, operand);
    if (check) checks.push(check);
  }
  checks.push(...memberChecks(schema, compile), ...itemChecks(schema, compile));
  for (const [keyword, make] of Object.entries(APPLICATORS))
    if (Object.hasOwn(schema, keyword)) checks.push(make(schema[keyword] as never, compile));
  if (Object.hasOwn(schema, 'if')) checks.push(conditional(schema, compile));
  for (const keyword of ['$ref', '$dynamicRef'])
    if (Object.hasOwn(schema, keyword)) checks.push(refCheck(schema[keyword]));
  const last = (['unevaluatedProperties', 'unevaluatedItems'] as const)
    .filter((keyword) => Object.hasOwn(schema, keyword))
    .map((keyword) => UNEVALUATED[keyword](schema[keyword], compile));
  return last.length === 0 ? every(checks) : withOwnSeen(every([...checks, ...last]));
}

const APPLICATORS: Readonly<Record<string, (operand: never, compile: Compile) => Check>> = {
  propertyNames,
  dependentSchemas,
  dependencies: dependentSchemas,
  allOf,
  anyOf,
  oneOf,
  not,
};

const UNEVALUATED = { unevaluatedProperties, unevaluatedItems } as const;

function every(checks: readonly Check[]): Check {
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (value, run, seen) => {
    let isValid = true;
    for (const check of checks) {
      if (check(value, run, seen)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

/** `unevaluated…` reads what its own schema evaluated, not what stands beside the schema. */
function withOwnSeen(check: Check): Check {
  return (value, run, seen) => {
    const own = newSeen();
    const isValid = check(value, run, own);
    if (isValid && seen) mergeSeen(seen, own);
    return isValid;
  };
}
