/**
 * Refusals that name every wrong field. A call has fields in its body, in headers and in the agent's own input;
 * whatever finds the first wrong one, the answer lists the others too.
 */
import { MarketError, type FieldProblem } from '../../domain/errors';

/**
 * The refusal of one header. Alone it is 400 `invalid_header`; beside other wrong fields it is one of their problems.
 */
export function invalidHeader(name: string, message: string): MarketError {
  const detail = [{ loc: ['header', name], msg: message, type: 'invalid_header' }];
  return new MarketError('invalid_header', { message, detail });
}

/** Moves problems of the input to the body, for operations whose body is the agent's input. */
export function withBodyPaths(error: MarketError): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const { message, detail, invocationId } = error;
  return new MarketError(error.code, { message, detail: detail?.map(inBody), invocationId });
}

/** A problem of the input, in an operation whose body is the input. */
export function inBody(problem: FieldProblem): FieldProblem {
  const [, , ...path] = problem.loc;
  return { ...problem, loc: ['body', ...path] };
}

/** Adds problems to a list, except those of fields that it has. */
export function withOthers(
  problems: readonly FieldProblem[],
  others: readonly FieldProblem[],
): FieldProblem[] {
  const known = new Set(problems.map(({ loc }) => JSON.stringify(loc)));
  return [...problems, ...others.filter(({ loc }) => !known.has(JSON.stringify(loc)))];
}

type Readers = Readonly<Record<string, () => unknown>>;
type Values<T extends Readers> = { [K in keyof T]: ReturnType<T[K]> };

/**
 * Reads fields that can be wrong independently of each other. `others` finds what else is wrong, and is called only
 * when a reader refused. One problem is thrown as its reader threw it; several as one `validation_failed`. An error
 * that names no field is thrown if there are no problems.
 */
export async function readEvery<T extends Readers>(
  readers: T,
  others: () => Promise<readonly FieldProblem[]>,
): Promise<Values<T>> {
  const values: Record<string, unknown> = {};
  const errors: unknown[] = [];
  for (const [name, read] of Object.entries(readers)) {
    try {
      values[name] = read();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 0) return values as Values<T>;
  const refusals = errors.filter((error) => error instanceof MarketError && error.detail !== undefined);
  const own = refusals.flatMap((error) => (error as MarketError).detail ?? []);
  if (own.length === 0) throw errors[0];
  const detail = withOthers(own, await others());
  if (detail.length === 1) throw refusals[0];
  throw new MarketError(refusals.every(isOfInput) ? 'input_schema_mismatch' : 'validation_failed', {
    detail,
  });
}

function isOfInput(error: unknown): boolean {
  return error instanceof MarketError && error.code === 'input_schema_mismatch';
}

/** An error in sentences, for protocols whose errors have no list of fields: one for each of several problems. */
export function sentenceOf({ message, detail = [] }: MarketError): string {
  if (detail.length < 2) return message;
  const sentences = detail.map(({ loc, msg }) => {
    const path = loc[0] === 'body' ? loc.slice(1) : loc;
    return msg.endsWith('.') ? msg : `${path.join('.')} ${msg}.`;
  });
  return sentences.join(' ');
}
