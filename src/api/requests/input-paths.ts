import { MarketError } from '../../domain/errors';

/** Moves problems of the input to the body, for operations whose body is the agent's input. */
export function withBodyPaths(error: MarketError): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const detail = error.detail?.map((problem) => {
    const [, , ...path] = problem.loc;
    return { ...problem, loc: ['body', ...path] };
  });
  return new MarketError(error.code, { message: error.message, detail, invocationId: error.invocationId });
}
