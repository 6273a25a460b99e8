import {
  failed,
  isDone,
  mergeSeen,
  newSeen,
  problemsOf,
  silently,
  type Check,
  type Run,
  type Seen,
} from './run';

type Compile = (schema: unknown) => Check;

/** A check of subschemas that apply to the same value. */
export function allOf(parts: readonly unknown[], compile: Compile): Check {
  const checks = parts.map(compile);
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

/** Applies a branch, and keeps what it evaluated if the value matches. */
function matches(check: Check, value: unknown, run: Run, seen: Seen | undefined): boolean {
  const own = seen && newSeen();
  if (!silently(check, value, run, own)) return false;
  if (seen && own) mergeSeen(seen, own);
  return true;
}

export function anyOf(parts: readonly unknown[], compile: Compile): Check {
  const checks = parts.map(compile);
  return (value, run, seen) => {
    let isValid = false;
    for (const check of checks) {
      if (!matches(check, value, run, seen)) continue;
      isValid = true;
      if (!seen) break;
    }
    return isValid || noBranch(checks, value, run, 'anyOf', 'must match a schema in anyOf');
  };
}

export function oneOf(parts: readonly unknown[], compile: Compile): Check {
  const checks = parts.map(compile);
  const msg = 'must match exactly one schema in oneOf';
  return (value, run, seen) => {
    let count = 0;
    for (const check of checks) {
      if (count < 2 && matches(check, value, run, seen)) count += 1;
    }
    if (count === 1) return true;
    return count > 1 ? failed(run, 'oneOf', msg) : noBranch(checks, value, run, 'oneOf', msg);
  };
}

/** Keywords of which a failure at the value itself means that another branch was meant. */
const OTHER_KIND = new Set(['type', 'const', 'enum']);

/** Reports the problems of the one branch that was meant, or else that no branch matches. */
function noBranch(checks: readonly Check[], value: unknown, run: Run, type: string, msg: string): false {
  const { report } = run;
  if (!report) return false;
  const depth = report.at.length;
  const close = checks
    .map((check) => problemsOf(check, value, run, report))
    .filter(
      (problems) => !problems.some((problem) => OTHER_KIND.has(problem.type) && problem.loc.length === depth),
    );
  const [only] = close;
  if (close.length === 1 && only && only.length > 0) {
    report.problems.push(...only);
    return false;
  }
  return failed(run, type, msg);
}

export function not(part: unknown, compile: Compile): Check {
  const check = compile(part);
  return (value, run) => !silently(check, value, run, undefined) || failed(run, 'not', 'must NOT be valid');
}

/** `if`, which evaluates parts of the value even without `then` and `else`. */
export function conditional(schema: Readonly<Record<string, unknown>>, compile: Compile): Check {
  const condition = compile(schema.if);
  const branch = (keyword: string) => (Object.hasOwn(schema, keyword) ? compile(schema[keyword]) : undefined);
  const [whenTrue, whenFalse] = [branch('then'), branch('else')];
  return (value, run, seen) => {
    const next = matches(condition, value, run, seen) ? whenTrue : whenFalse;
    return next?.(value, run, seen) ?? true;
  };
}
