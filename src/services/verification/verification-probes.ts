/** The probes of a version, by kind of agent: of a run, and between runs. */
import { createHash, randomInt } from 'node:crypto';
import type { ReprobeFacts } from '../../domain/verification/behaviour';
import type { DynamicEvidence, RedTeamEvidence } from '../../domain/verification/probe-facts';
import { createThrottle } from '../../kit/concurrency/throttle';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { coverage } from '../../verification/probes/dynamic-testing';
import { wrongInputs } from '../../verification/probes/invalid-inputs';
import type { LiveResult } from '../../verification/probes/live-evidence';
import type { LivePlan } from '../../verification/probes/live-plan';
import { testLive } from '../../verification/probes/live-testing';
import { BLANK_INPUT, readToolDescriptions } from '../../verification/probes/reachability-probe';
import { MAX_ANSWER_BYTES } from '../calls/agent/agent-caller';
import { planOf } from './probe-plan';
import { createProbeCalls, type ProbeCallsDeps, type ProbeCallsOptions } from './probe-calls';

export type VerificationProbeDeps = Omit<ProbeCallsDeps, 'throttle'>;

export interface LiveEvidence {
  /** `tools` is set for MCP agents. */
  dynamic: LiveResult['dynamic'] & Pick<DynamicEvidence, 'tools'>;
  redTeam: RedTeamEvidence;
}

/** Outcome of a re-probe: how many inputs conformed, the first failure, and the kinds of leaks. */
export type Reprobed = Required<ReprobeFacts>;

/** Allows the calls of one run in quick succession, but throttles those of many runs in favour of buyers' calls. */
const PROBE_THROTTLE = { burst: 48, leastMs: 80, mostMs: 160 };
const REPROBE_INPUTS = 3;
const REPROBE_EXAMPLES = 1;
const REPROBE_ATTEMPTS = 4;
const INVALID_CALLS = 3;

export function createVerificationProbes(given: VerificationProbeDeps) {
  const throttle = createThrottle(PROBE_THROTTLE);
  const deps = { ...given, throttle };

  return {
    /** Resolves when a stage may begin. With many concurrent runs, the work around the calls is throttled, too. */
    turn: throttle.turn,

    /** Runs both stages at the endpoint. The inputs depend on the run, never on the version alone. */
    async live(
      version: ServingVersion,
      runId: string,
      {
        ownHosts,
        declared,
        ...options
      }: Omit<ProbeCallsOptions, 'seed'> & Required<Pick<LivePlan, 'ownHosts' | 'declared'>>,
    ): Promise<LiveEvidence> {
      const seed = seedOf(runId);
      const calls = createProbeCalls(deps, version, { ...options, seed });
      if (version.kind === 'mcp') return liveMcp(calls, version);
      const plan = await planOf(deps, version, calls, seed);
      const valid = [...plan.examples.map(({ text }) => text), ...plan.made];
      const hasSchema = version.inputSchema !== null;
      const invalid = hasSchema ? await wrongInputs(valid, calls.accepts) : [];
      const wrong = { invalid, invalidWanted: hasSchema ? INVALID_CALLS : 0 };
      const { dynamic, redTeam } = await testLive(calls, { ...plan, ...wrong, ownHosts, declared });
      return { dynamic: { ...dynamic, tools: null }, redTeam };
    },

    /** Calls a serving version again between two runs, with new inputs and some attempts of the red team. */
    async again(
      version: ServingVersion,
      options: Pick<ProbeCallsOptions, 'signal' | 'isCrowded'>,
    ): Promise<Reprobed> {
      const seed = randomInt(2 ** 31);
      const calls = createProbeCalls(deps, version, { ...options, seed, isServing: true });
      if (version.kind === 'mcp') return reprobedOf(await liveMcp(calls, version));
      const plan = await planOf(deps, version, calls, seed);
      const result = await testLive(calls, {
        ...plan,
        examples: plan.examples.slice(0, REPROBE_EXAMPLES),
        wanted: REPROBE_INPUTS + Math.min(plan.examples.length, REPROBE_EXAMPLES),
        idempotent: false,
        streaming: false,
        mostAttempts: REPROBE_ATTEMPTS,
      });
      return reprobedOf(result);
    },
  };
}

export type VerificationProbes = ReturnType<typeof createVerificationProbes>;

/** An MCP server gets no call of its tools: only the list of its tools is examined. */
async function liveMcp(
  calls: ReturnType<typeof createProbeCalls>,
  { timeoutMs, inputRole: role }: ServingVersion,
): Promise<LiveEvidence> {
  const { dynamic } = await testLive(calls, {
    examples: [],
    made: [BLANK_INPUT],
    attackInputs: [],
    wanted: 1,
    gap: 'no_input_schema',
    invalid: [],
    invalidWanted: 0,
    timeoutMs,
    limitBytes: MAX_ANSWER_BYTES,
    idempotent: false,
    streaming: false,
    role,
    writesPrompts: true,
    ownHosts: [],
    hasText: false,
    mostAttempts: 0,
  });
  const tools = calls.tools();
  const found = { coverage: coverage(1, tools ? 1 : 0, 'not_answered'), count: tools?.length ?? 0 };
  return { dynamic: { ...dynamic, tools: found }, redTeam: readToolDescriptions(tools ?? []) };
}

/** Fewer answers may be equal by chance. */
const LEAST_ANSWERS = 4;

function reprobedOf({ dynamic, redTeam }: Pick<LiveResult, 'dynamic' | 'redTeam'>): Reprobed {
  const { probes } = dynamic.conformance;
  const { distinct, inputs, isProse, isFickle = false, ordinary = { inputs: 0, alike: 0 } } = dynamic.answers;
  const failed = probes.find(({ code }) => code !== 'conforms');
  const mismatch = (redTeam.answers?.mismatched ?? 0) > 0 ? ('output_schema_mismatch' as const) : null;
  return {
    conforming: probes.filter(({ code }) => code === 'conforms').length,
    failure: failed?.code ?? mismatch,
    leaks: [...new Set(redTeam.attacks.flatMap(({ leaks }) => leaks.map(({ kind }) => kind)))].sort(),
    isConstant: distinct === 1 && inputs >= LEAST_ANSWERS,
    isRepetitive: isProse && isFickle && ordinary.alike > 0,
    hasPersonalData: dynamic.personalData.personalData.some(({ isCertain }) => isCertain ?? true),
  };
}

/** Each run has its own seed. A repeated stage of the same run sends the same inputs. */
function seedOf(runId: string): number {
  return createHash('sha256').update(runId).digest().readUInt32BE();
}
