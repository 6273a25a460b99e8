/**
 * The probes of a version, by the kind of its agent. Each is made as a call of a buyer is: the same headers and
 * signature, an invocation id of its own, inputs that the schema takes, nothing that tells where it comes from.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MarketError } from '../../domain/errors';
import type { RedTeamEvidence } from '../../domain/verification/probe-facts';
import { CONFORMANCE_CALLS } from '../../domain/verification/verification';
import { newId, newTraceId } from '../../kit/ids/ids';
import { createPace, type Pace } from '../../kit/concurrency/throttle';
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

export interface VerificationProbeDeps {
  agents: AgentCaller;
  schemas: SchemaPool;
}

export interface LiveEvidence extends CallEvidence {
  /** Of MCP agents. */
  tools: { coverage: ReturnType<typeof coverage>; count: number } | null;
}

/** Calls of a whole run may follow each other; those of many runs leave the machine to the calls of buyers. */
const PACE = { burst: 24, leastMs: 80, mostMs: 160 };
/** A stage that takes longer makes no further calls: what is left is not looked at. */
const STAGE_BUDGET_MS = 10 * 60_000;
const RED_TEAM_INPUTS = 4;
const REPROBE_INPUTS = 8;
/** What a caller might send to an agent that promises no schema. */
const TEXT_INPUT = '{"input":"Hello, what can you do for me?"}';
const NO_ANSWER = Buffer.from('null');
const CANARY_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** How one version is called. Throws for faults of ours only. */
function createCalls(
  deps: VerificationProbeDeps & { pace: Pace },
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
    await deps.pace.turn(signal);
    const sink = streams ? { write: () => Promise.resolve(), closed: new AbortController().signal } : null;
    const answer = await deps.agents.call(newCall(key), input, { signal, sink });
    if (version.kind === 'http') {
      const reply = reached(answer);
      return reply.ok ? { ...reply, json: answer.ok ? answer.json : NO_ANSWER } : reply;
    }
    const { durationMs, status } = answer;
    if (!answer.ok) return { ok: false as const, code: answer.code, durationMs, status };
    return { ok: true as const, json: answer.json, durationMs, streamed: answer.delivered };
  }

  async function listTools(): Promise<ProbeAnswer> {
    await deps.pace.turn(signal);
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
  const pace = createPace(PACE);
  const deps = { ...given, pace };
  const sample = (version: ServingVersion, count: number, seed: number) =>
    version.inputSchema === null
      ? Promise.resolve([BLANK_INPUT])
      : deps.schemas.sample(version.inputSchema, { count, seed });

  return {
    /** Resolves when a stage may begin: with those of many runs, what surrounds the calls takes its turns too. */
    turn: pace.turn,

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

    /** One call between two runs, with an input that nobody has seen in the manifest if there is one. */
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

/** The same version is probed with the same inputs, so that runs can be compared. */
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
