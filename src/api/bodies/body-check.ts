import type { Operation } from '../../contract/operation';
import { asRecord } from '../../domain/json-value';
import { compileCheck, type Check } from '../../kit/schemas/validator';
import { laterProblemsOf } from './later-problems';

/**
 * Compiles the check of an operation's body; undefined if it takes none. A body with a problem of form is also checked for
 * what the service would refuse later, in fields that have no problem yet. One problem of a body of the right form is left
 * to the service, which has a code for it; several are listed at once.
 */
export function bodyCheckOf(operation: Operation): Check | undefined {
  const check = operation.body && compileCheck(operation.body, 'body');
  const laterProblems = laterProblemsOf(operation);
  if (!check || !laterProblems) return check;
  return (value, nodes) => {
    const problems = check(value, nodes);
    const known = new Set(problems.map(({ loc }) => JSON.stringify(loc)));
    const later = laterProblems(asRecord(value)).filter(({ loc }) => !known.has(JSON.stringify(loc)));
    return problems.length > 0 || later.length > 1 ? [...problems, ...later] : [];
  };
}
