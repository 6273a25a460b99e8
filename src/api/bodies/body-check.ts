import type { Operation } from '../../contract/operation';
import { asRecord } from '../../domain/json-value';
import { compileCheck, type Check } from '../../kit/schemas/validator';

/**
 * Compiles the check of an operation's body; undefined if it takes none. A body with a problem of form is also checked for
 * what the service would refuse later, in fields that have no problem yet.
 */
export function bodyCheckOf({ body, laterProblems }: Operation): Check | undefined {
  const check = body && compileCheck(body, 'body');
  if (!check || !laterProblems) return check;
  return (value, nodes) => {
    const problems = check(value, nodes);
    if (problems.length === 0) return problems;
    const known = new Set(problems.map(({ loc }) => JSON.stringify(loc)));
    const later = laterProblems(asRecord(value)).filter(({ loc }) => !known.has(JSON.stringify(loc)));
    return [...problems, ...later];
  };
}
