import { MarketError, type FieldProblem } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { PREPARES } from './prepares';

/** The input in the refused body of a call. */
export interface RefusedCallInput {
  /** The agent that the body names, for operations whose path names none. */
  agentId: string | undefined;
  input: Buffer;
}

/**
 * The refusal of a body that is a call. The agent's own schema is checked as well, outside of the body's thread, so
 * that the answer names every wrong field.
 */
export class RefusedCall extends MarketError {
  constructor(
    detail: FieldProblem[],
    readonly call: RefusedCallInput,
  ) {
    super('validation_failed', { detail });
  }
}

/** The error for a body with problems. */
export function refusedBody(operationId: string, body: unknown, detail: FieldProblem[]): MarketError {
  const { agent_id: agentId, ...rest } = asRecord(body);
  const input = PREPARES.get(operationId)?.inputOf(rest);
  if (!input) return new MarketError('validation_failed', { detail });
  return new RefusedCall(detail, {
    agentId: typeof agentId === 'string' ? agentId : undefined,
    input: Buffer.from(JSON.stringify(input)),
  });
}
