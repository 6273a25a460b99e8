import type { Operation } from '../../contract/operation';
import { asRecord } from '../../domain/json-value';
import { compileCheck, type Check } from '../../kit/schemas/validator';
import { withOthers } from '../requests/request-fields';
import { laterProblemsOf } from './later-problems';

/**
 * Compiles the check of an operation's body; undefined if it takes none. A body with a problem of form is also checked
 * for what the service would refuse later, in fields that have no problem yet. One problem of a body of the right form
 * is left to the service, which has a code for it; several are listed at once.
 */
export function bodyCheckOf(operation: Operation): Check | undefined {
  const check = operation.body && compileCheck(operation.body, 'body');
  const laterProblems = laterProblemsOf(operation);
  if (!check || !laterProblems) return check;
  return withLater(check, laterProblems);
}

/** Compiles the check of an operation's query in the same way; it writes defaults into absent fields. */
export function queryCheckOf({ query, laterQueryProblems }: Operation): Check | undefined {
  const check = query && compileCheck(query, 'query', { defaults: true });
  return check && laterQueryProblems ? withLater(check, laterQueryProblems) : check;
}

function withLater(check: Check, laterProblems: NonNullable<Operation['laterProblems']>): Check {
  return (value, nodes) => {
    const problems = check(value, nodes);
    const all = withOthers(problems, laterProblems(asRecord(value)));
    return problems.length > 0 || all.length > 1 ? all : [];
  };
}
