import { MarketError } from '../../domain/errors';

/** Where the agent's input is the body itself, and no field of it, its problems are told where the client wrote them. */
export function withBodyPaths(error: MarketError): MarketError {
  if (error.code !== 'input_schema_mismatch') return error;
  const detail = error.detail?.map((problem) => {
    const [, , ...path] = problem.loc;
    return { ...problem, loc: ['body', ...path] };
  });
  return new MarketError(error.code, { detail });
}
