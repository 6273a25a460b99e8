/**
 * The probes of a version, by kind of agent. A probe looks like a call of a buyer: the same headers and signature, a
 * new invocation id, inputs that match the schema, and nothing that reveals its origin.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketError } from '../../domain/errors';
import type { RedTeamEvidence } from '../../domain/verification/probe-facts';
import { CONFORMANCE_CALLS } from '../../domain/verification/verification';
import { newId, newTraceId } from '../../kit/ids/ids';
import { createThrottle, type Throttle } from '../../kit/concurrency/throttle';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { type ProbeAnswer, probe } from '../../verification/probes/conformance-probe';
import {
  type CallEvidence,
  coverage,
  type DynamicCall,
  type DynamicDeps,
  testAgent,
} from '../../verification/probes/dynamic-testing';
import { wrongInputs } from '../../verification/probes/invalid-inputs';
import type { Canary } from '../../verification/probes/leak-detectors';
import { BLANK_INPUT, reached, toolsFound } from '../../verification/probes/reachability-probe';
import { attackAgent, readToolDescriptions } from '../../verification/probes/red-team';
import { type AgentCaller, MAX_ANSWER_BYTES } from '../calls/agent/agent-caller';
import { type ChunkSink, createDelivery } from '../calls/agent/delivery';

export interface VerificationProbeDeps {
  agents: AgentCaller;
  schemas: SchemaPool;
}

export interface LiveEvidence extends CallEvidence {
  /** Set for MCP agents. */
  tools: { coverage: ReturnType<typeof coverage>; count: number } | null;
}

/** Allows the calls of one run in quick succession, but throttles those of many runs in favour of buyers' calls. */
const PROBE_THROTTLE = { burst: 24, leastMs: 80, mostMs: 160 };
/** A stage that exceeds this time makes no further calls; the remaining checks are reported as not performed. */
const STAGE_BUDGET_MS = 10 * 60_000;
const RED_TEAM_INPUTS = 4;
const REPROBE_INPUTS = 8;
/** A typical input for an agent without a schema. */
const TEXT_INPUT = '{"input":"Hello, what can you do for me?"}';
const NO_ANSWER = Buffer.from('null');
const CANARY_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A sink that discards the pieces of a probe's answer. */
function discarding(): ChunkSink {
  return { write: () => Promise.resolve(), handed: () => 0, closed: new AbortController().signal };
}

/** Returns the functions that call a version. They throw only internal faults. */
function createCalls(
  deps: VerificationProbeDeps & { throttle: Throttle },
  version: ServingVersion,
  signal: AbortSignal,
) {
  const startedAt = performance.now();
  let tools: string[] | null = null;
  const newCall = (key?: string) => ({
    invocationId: key ?? newId('inv'),
    version,
    traceId: newTraceId(),
    hops: 0,
  });

  async function callAgent(input: Buffer, { key, streams = false }: DynamicCall = {}) {
    await deps.throttle.turn(signal);
    const delivery = streams ? createDelivery(discarding(), () => Promise.resolve()) : null;
    const answer = await deps.agents.call(newCall(key), input, { signal, delivery });
    if (version.kind === 'http') {
      const reply = reached(answer);
      return reply.ok ? { ...reply, json: answer.ok ? answer.json : NO_ANSWER } : reply;
    }
    const { durationMs, status } = answer;
    if (!answer.ok) return { ok: false as const, code: answer.code, durationMs, status };
    return { ok: true as const, json: answer.json, durationMs, streamed: answer.delivered };
  }

  async function listTools(): Promise<ProbeAnswer> {
    await deps.throttle.turn(signal);
    const before = performance.now();
    const durationMs = () => Math.round(performance.now() - before);
    try {
      const list = await deps.agents.listTools(newCall(), { signal });
      tools = list.map(({ name, description }) => [name, description].filter(isText).join('\n'));
      const found = toolsFound(list, durationMs());
      return found.ok ? { ...found, json: NO_ANSWER } : found;
    } catch (error) {
      if (error instanceof MarketError) return { ok: false, code: error.code, durationMs: durationMs() };
      throw error;
    }
  }

  return {
    call: (version.kind === 'mcp' ? listTools : callAgent) satisfies DynamicDeps['call'],
    tools: () => tools,
    async check(answer: Buffer) {
      const { versionId, outputSchema } = version;
      if (outputSchema === null || version.kind !== 'manifest') return [];
      const verdict = await deps.schemas.validate(`${versionId}:output`, outputSchema, answer);
      return verdict.valid ? [] : verdict.problems;
    },
    async accepts(input: string) {
      const { versionId, inputSchema } = version;
      if (inputSchema === null) return true;
      return (await deps.schemas.validate(`${versionId}:input`, inputSchema, input)).valid;
    },
    newKey: () => newId('inv'),
    pause: (ms: number) => sleep(ms, undefined, { signal }),
    hasTime: () => performance.now() - startedAt < Math.max(STAGE_BUDGET_MS, 3 * version.timeoutMs),
  };
}

export function createVerificationProbes(given: VerificationProbeDeps) {
  const throttle = createThrottle(PROBE_THROTTLE);
  const deps = { ...given, throttle };
  const sample = (version: ServingVersion, count: number, seed: number) =>
    version.inputSchema === null
      ? Promise.resolve([BLANK_INPUT])
      : deps.schemas.sample(version.inputSchema, { count, seed, developer: version.developerUserId });

  return {
    /** Resolves when a stage may begin. With many concurrent runs, the work around the calls is throttled, too. */
    turn: throttle.turn,

    async dynamic(version: ServingVersion, signal: AbortSignal): Promise<LiveEvidence> {
      const calls = createCalls(deps, version, signal);
      const wanted = version.inputSchema === null ? 1 : CONFORMANCE_CALLS;
      const inputs = await sample(version, wanted, seedOf(version));
      const hasSchema = version.inputSchema !== null;
      const invalid = hasSchema ? await wrongInputs(inputs, calls.accepts) : [];
      const { timeoutMs, idempotent, streaming } = version;
      const evidence = await testAgent(calls, {
        inputs,
        wanted,
        gap: hasSchema ? 'no_inputs' : 'no_input_schema',
        invalid,
        invalidWanted: 3,
        timeoutMs,
        limitBytes: MAX_ANSWER_BYTES,
        idempotent: idempotent && hasSchema,
        streaming: streaming && hasSchema,
      });
      if (version.kind !== 'mcp') return { ...evidence, tools: null };
      const tools = calls.tools();
      return {
        ...evidence,
        tools: { coverage: coverage(1, tools ? 1 : 0, 'not_answered'), count: tools?.length ?? 0 },
      };
    },

    async redTeam(version: ServingVersion, signal: AbortSignal): Promise<RedTeamEvidence> {
      const { call, tools, accepts, hasTime } = createCalls(deps, version, signal);
      if (version.kind === 'mcp') {
        await call(Buffer.from(BLANK_INPUT));
        return readToolDescriptions(tools() ?? []);
      }
      const inputs =
        version.inputSchema === null ? [TEXT_INPUT] : await sample(version, RED_TEAM_INPUTS, seedOf(version));
      return attackAgent({ call, accepts, newCanary, hasTime }, inputs);
    },

    /** Makes one call between two runs, if possible with an input that is not an example of the manifest. */
    async again(version: ServingVersion, signal: AbortSignal) {
      const calls = createCalls(deps, version, signal);
      const inputs = await sample(version, REPROBE_INPUTS, randomInt(2 ** 31));
      const input = inputs.at(-1);
      if (input === undefined) return undefined;
      return (await probe(calls, input)).fact;
    },
  };
}

export type VerificationProbes = ReturnType<typeof createVerificationProbes>;

/** A version is always probed with the same inputs, so that its runs are comparable. */
function seedOf({ versionId }: ServingVersion): number {
  return Number.parseInt(versionId.slice(-7), 16);
}

function newCanary(): Canary {
  const half = () =>
    Array.from({ length: 5 }, () => CANARY_LETTERS[randomInt(CANARY_LETTERS.length)]).join('');
  return { left: half(), right: half() };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
