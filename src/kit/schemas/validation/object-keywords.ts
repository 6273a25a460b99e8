import { isRecord } from '../../../domain/json-value';
import { publishedRegExp } from '../schema-regexp';
import { failed, inside, isDone, silently, type Check, type Run, type Seen } from './run';

type Compile = (schema: unknown) => Check;
type Schemas = Readonly<Record<string, unknown>>;

/** A rule for members: its check if it applies to the name. */
type Rule = (name: string) => Check | undefined;

/** `properties`, `patternProperties` and `additionalProperties`, which decide together which members they apply to. */
export function memberChecks(schema: Schemas, compile: Compile): Check[] {
  const checks: Check[] = [];
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const patterns = isRecord(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const known = properties.map(([name, part]): [string, Check] => [name, compile(part)]);
  const expressions = patterns.map(([pattern, part]) => ({
    expression: publishedRegExp(pattern),
    check: compile(part),
  }));
  if (known.length > 0) checks.push(propertiesCheck(known));
  for (const { expression, check } of expressions)
    checks.push(everyMember((name) => (expression.test(name) ? check : undefined)));
  if (Object.hasOwn(schema, 'additionalProperties')) {
    const names = new Set(properties.map(([name]) => name));
    const isKnown = (name: string) =>
      names.has(name) || expressions.some(({ expression }) => expression.test(name));
    checks.push(otherMembers(schema.additionalProperties, compile, 'additionalProperties', isKnown));
  }
  return checks;
}

function propertiesCheck(known: readonly (readonly [string, Check])[]): Check {
  return (value, run, seen) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const [name, check] of known) {
      if (!Object.hasOwn(value, name)) continue;
      seen?.names.add(name);
      if (inside(check, value[name], name, run)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

function everyMember(rule: Rule): Check {
  return (value, run, seen) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const name of Object.keys(value)) {
      const check = rule(name);
      if (!check) continue;
      seen?.names.add(name);
      if (inside(check, value[name], name, run)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

const WORDS = { additionalProperties: 'additional', unevaluatedProperties: 'unevaluated' } as const;

/** The check of the members that `isKnown` does not name. */
function otherMembers(
  part: unknown,
  compile: Compile,
  keyword: keyof typeof WORDS,
  isKnown: (name: string, seen: Seen | undefined) => boolean,
): Check {
  const refuse =
    part === false
      ? (run: Run, name: string) => failed(run, keyword, `must NOT have ${WORDS[keyword]} properties`, name)
      : undefined;
  const check = compile(part);
  return (value, run, seen) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const name of Object.keys(value)) {
      if (isKnown(name, seen)) continue;
      if (refuse ? refuse(run, name) : inside(check, value[name], name, run)) seen?.names.add(name);
      else {
        isValid = false;
        if (isDone(run)) return false;
      }
    }
    return isValid;
  };
}

/** Runs after all other keywords of its schema. `seen` is never undefined there. */
export function unevaluatedProperties(part: unknown, compile: Compile): Check {
  return otherMembers(part, compile, 'unevaluatedProperties', (name, seen) => seen?.names.has(name) === true);
}

export function propertyNames(part: unknown, compile: Compile): Check {
  const check = compile(part);
  return (value, run) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const name of Object.keys(value)) {
      if (silently(check, name, run, undefined)) continue;
      isValid = failed(run, 'propertyNames', 'property name must be valid', name);
      if (isDone(run)) return false;
    }
    return isValid;
  };
}

/** `dependentSchemas`, and the `dependencies` of earlier drafts, whose values may also be lists of names. */
export function dependentSchemas(operand: Schemas, compile: Compile): Check {
  const rules = Object.entries(operand).map(([name, part]): [string, Check] => [
    name,
    compile(Array.isArray(part) ? { required: part as unknown } : part),
  ]);
  return (value, run, seen) => {
    if (!isRecord(value)) return true;
    let isValid = true;
    for (const [name, check] of rules) {
      if (!Object.hasOwn(value, name)) continue;
      if (check(value, run, seen)) continue;
      isValid = false;
      if (isDone(run)) return false;
    }
    return isValid;
  };
}
