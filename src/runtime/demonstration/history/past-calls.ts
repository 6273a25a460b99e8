/** Writes calls of the past by the functions of the service that accept, settle and refund calls. */
import { randomBytes } from 'node:crypto';
import { creditsToUnits } from '../../../domain/ledger/money';
import { newTraceId } from '../../../kit/ids/ids';
import { sha256Hex } from '../../../kit/json/canonical-json';
import { pastId } from './random';
import type { PlannedCall } from './call-plan';
import type { Person } from './moment';
import type { Past } from './past';

/** A call that is to be written, with its id. */
export interface PastCall extends PlannedCall {
  invocationId: string;
}

export interface CallContext {
  users: Record<Person, string>;
  /** The API key of an account, if it has one. */
  keys: Partial<Record<Person, string>>;
  agents: ReadonlyMap<string, { agentId: string; versionId: string }>;
  /** Time until earnings mature, in ms. */
  maturesAfterMs: number;
}

/** The owner of every call of the history: no process has this name, so these rows differ from real ones. */
export const HISTORY_OWNER = 'demonstration-history';

/**
 * Each call at its own times: accepted and held, then captured or refunded. A free call is charged nothing. Returns the
 * ids of free calls.
 */
const WRITE_CALLS = `
  CREATE OR REPLACE FUNCTION pg_temp.past_calls(calls jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
  DECLARE
    call     jsonb;
    accepted record;
  BEGIN
    FOR call IN SELECT c FROM jsonb_array_elements(calls) c LOOP
      PERFORM set_config('demonstration.now', call ->> 'started', true);
      SELECT a.outcome, a.free INTO STRICT accepted
        FROM public.invocation_accept_permit(jsonb_build_array(call -> 'accept')) a;
      IF accepted.outcome <> 'accepted' THEN
        RAISE EXCEPTION 'a call of the history is not accepted: %: %', accepted.outcome, call;
      END IF;
      IF accepted.free THEN RETURN NEXT call #>> '{accept,invocation_id}'; END IF;
      PERFORM set_config('demonstration.now', call ->> 'ended', true);
      IF call -> 'failure' = 'null' THEN
        PERFORM public.invocation_settle(jsonb_build_array(CASE WHEN accepted.free
          THEN jsonb_set(call -> 'settle', '{charged_units}', '0') ELSE call -> 'settle' END));
      ELSE
        PERFORM public.invocation_refund(jsonb_build_array(call -> 'settle'));
        PERFORM public.call_failure_record(call #>> '{settle,invocation_id}', call #>> '{failure,phase}',
          (call #>> '{failure,status}')::integer, call #>> '{failure,path}', call #>> '{failure,problem}', NULL, NULL);
      END IF;
    END LOOP;
  END $$`;

export async function preparePastCalls({ client }: Past): Promise<void> {
  await client.query(WRITE_CALLS);
}

/** Returns the calls that were paid. */
export async function writePastCalls(
  { client }: Past,
  context: CallContext,
  calls: readonly PastCall[],
): Promise<PastCall[]> {
  if (calls.length === 0) return [];
  const items = calls.map((call) => itemOf(context, call));
  const { rows } = await client.query<{ id: string }>('SELECT id FROM pg_temp.past_calls($1::jsonb) AS id', [
    JSON.stringify(items),
  ]);
  const free = new Set(rows.map(({ id }) => id));
  return calls.filter(({ invocationId }) => !free.has(invocationId));
}

/** The call with an id of its time. */
export function withId(call: PlannedCall): PastCall {
  return { ...call, invocationId: pastId('inv', call.startMs) };
}

const sha256 = () => sha256Hex(randomBytes(16));

function itemOf(context: CallContext, call: PastCall) {
  const agent = context.agents.get(call.slug);
  if (!agent) throw new Error(`no agent ${call.slug} serves`);
  const { invocationId, startMs, endMs, failure, maxCostCredits } = call;
  return {
    started: new Date(startMs).toISOString(),
    ended: new Date(endMs).toISOString(),
    accept: {
      invocation_id: invocationId,
      buyer_user_id: context.users[call.person],
      agent_id: agent.agentId,
      version_id: agent.versionId,
      surface: call.surface,
      max_cost_credits: maxCostCredits,
      idempotency_key: null,
      input_sha256: sha256(),
      input_bytes: call.tokensIn * 4,
      owner: HISTORY_OWNER,
      trace_id: newTraceId(),
      key_id: call.byKey ? (context.keys[call.person] ?? null) : null,
      lease_ms: 60_000,
      max_in_flight_buyer: 1_000,
      max_in_flight_agent: 1_000,
      max_in_flight_unpaid: 1_000,
      least_cost_credits: maxCostCredits === null ? 0 : 1,
      mandate: null,
    },
    settle: {
      invocation_id: invocationId,
      charged_units: creditsToUnits(call.credits),
      output_sha256: sha256(),
      output_bytes: call.tokensOut * 4,
      tokens_in: call.tokensIn,
      tokens_out: call.tokensOut,
      duration_ms: Math.round(endMs - startMs),
      truncated_by: null,
      answer: null,
      matures_after_ms: context.maturesAfterMs,
      ...(failure && { error_code: failure.code }),
    },
    failure,
  };
}
