/**
 * The two steps of a call that need its body: forward it to the agent, and validate and measure the answer. A process
 * that does not hold the body says `elsewhere` and has done nothing.
 */
import type { ForwardStep, InvocationOutcome, ValidateStep } from '../../../domain/calls/invocation-steps';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';
import { SealedValueError } from '../../../kit/crypto/cipher';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import type { DbPool } from '../../../stores/db';
import { permitForward, type CallState } from '../../../stores/calls/invocations';
import { callWithAttempts } from './agent-attempts';
import type { AgentAnswer, AgentCaller } from './agent-caller';
import type { InFlightCall, InvocationRegistry } from '../invocation-registry';
import type { Metering } from './metering';

/** How long after the agent's deadline a hold may stay open before it is swept. */
const LEASE_MARGIN_MS = 30_000;
/** That of a task which another worker may carry out again. */
const REPEATABLE_TASK_LEASE_MARGIN_MS = 3_600_000;

/** For how long after the hold its permission to forward is good: the lease that came with it lasts longer by this. */
const PERMIT_MS = LEASE_MARGIN_MS / 2;

const isRepeatable = ({ version, keyed, sink }: InFlightCall): boolean =>
  version.idempotent && keyed && sink === null;

/** How long the hold of a call stays open from when it is forwarded. */
export function leaseMs(call: InFlightCall): number {
  const isLong = call.task && isRepeatable(call);
  return call.version.timeoutMs + (isLong ? REPEATABLE_TASK_LEASE_MARGIN_MS : LEASE_MARGIN_MS);
}

/** The permission that came with the hold, which is good once, and not for ever. */
function takePermit(call: InFlightCall): boolean {
  const ageMs = call.permittedAtMs === null ? -1 : Date.now() - call.permittedAtMs;
  call.permittedAtMs = null;
  return ageMs >= 0 && ageMs <= PERMIT_MS;
}

export interface AgentStepsDeps {
  pool: DbPool;
  registry: InvocationRegistry;
  schemas: SchemaPool;
  agents: AgentCaller;
  metering: Metering;
}

/** An agent whose secrets do not open is not called, however often: for its buyers it is not there. */
function asUnreachable(error: unknown): AgentAnswer {
  if (!(error instanceof SealedValueError)) throw error;
  return { ok: false, code: 'agent_unreachable', durationMs: 0, delivered: false };
}

export function createAgentSteps(
  deps: AgentStepsDeps,
  conclude: (invocationId: string, state: CallState) => InvocationOutcome,
) {
  const { pool, registry } = deps;

  /**
   * A task that overran its time-out runs this step again, here or by way of the owner's queue, while the first run
   * still waits for the agent: it joins that one, or learns how it ended. A fault (Postgres away) is tried again. The end of the call ends it, whoever brings it about.
   */
  function forward(invocationId: string): Promise<ForwardStep> {
    const call = registry.find(invocationId);
    if (!call) return Promise.resolve({ kind: 'elsewhere' });
    call.forwarding ??= forwardOnce(call).catch((fault: unknown) => {
      call.forwarding = null;
      throw fault;
    });
    return call.forwarding;
  }

  /** What forwarding comes to when it is not permitted. */
  async function askPermit(call: InFlightCall): Promise<ForwardStep | undefined> {
    const { invocationId } = call;
    const permission = await permitForward(pool, invocationId, leaseMs(call), isRepeatable(call));
    if (permission.permit === 'granted') return undefined;
    if (permission.permit !== 'resolved')
      return { kind: 'failed', code: 'engine_unavailable', durationMs: 0 };
    return { kind: 'resolved', outcome: conclude(invocationId, permission) };
  }

  async function forwardOnce(call: InFlightCall): Promise<ForwardStep> {
    if (call.output) return { kind: 'answered', durationMs: call.durationMs, bytes: call.output.json.length };
    if (!call.input) return { kind: 'failed', code: 'engine_unavailable', durationMs: 0 };
    const refused = takePermit(call) ? undefined : await askPermit(call);
    if (refused) return refused;
    const counting = deps.metering.takeInput(call, call.input);
    const calling = callWithAttempts(deps.agents, deps.metering, call, call.input, call.ended);
    const [answer] = await Promise.all([calling.catch(asUnreachable), counting]);
    call.durationMs = answer.durationMs;
    if (!answer.ok) return { kind: 'failed', code: answer.code, durationMs: answer.durationMs };
    call.input = null;
    call.output = { json: answer.json, plain: answer.plain, isToolError: answer.isToolError };
    return { kind: 'answered', durationMs: answer.durationMs, bytes: answer.json.length };
  }

  async function validate(invocationId: string): Promise<ValidateStep> {
    const call = registry.find(invocationId);
    if (!call?.output) return { kind: 'elsewhere' };
    const { json, plain } = call.output;
    const [matches, usage] = await Promise.all([
      matchesSchema(call, json),
      deps.metering.measure(call, call.output),
    ]);
    if (!matches) return { kind: 'failed', code: 'output_schema_mismatch' };
    if (!usage) return { kind: 'failed', code: 'max_cost_exceeded' };
    call.usage = usage;
    call.outputSha256 = plain?.sha256 ?? sha256Hex(canonicalJson(JSON.parse(json.toString())));
    return { kind: 'valid', outputSha256: call.outputSha256 };
  }

  async function matchesSchema({ version }: InFlightCall, json: Buffer): Promise<boolean> {
    if (version.outputSchema === null) return true;
    const verdict = await deps.schemas.validate(`${version.versionId}:output`, version.outputSchema, json);
    return verdict.valid;
  }

  return { forward, validate };
}
