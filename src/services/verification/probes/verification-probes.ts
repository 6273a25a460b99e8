/** The probes of a version, by kind of agent: of a run, and between runs. */
import { createHash, randomInt } from 'node:crypto';
import type { ReprobeFacts } from '../../../domain/verification/behaviour';
import type { RedTeamEvidence } from '../../../domain/verification/probe-facts';
import { joinShares } from '../../../domain/verification/live-shares';
import { createThrottle, type ThrottleOptions } from '../../../kit/concurrency/throttle';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { wrongInputs } from '../../../verification/probes/invalid-inputs';
import type { LivePlan } from '../../../verification/probes/live-plan';
import { createCallOrder } from '../../../verification/turns/call-order';
import { type LiveFound, testLive, testStage } from '../../../verification/probes/live-testing';
import { planOf } from './probe-plan';
import { createProbeCalls, type ProbeCallsDeps, type ProbeCallsOptions } from './probe-calls';
import type { LiveEvidence, LiveOptions, WithTools } from './live-stages';
import { againTools, attackTools, testTools } from './tool-probes';

export type VerificationProbeDeps = Omit<ProbeCallsDeps, 'throttle' | 'retryAfterMs'> & {
  spacing?: ProbeSpacing;
};

/** How closely calls follow each other. Only tests give another than `SPACING` (docs/internals/tests.md#cost). */
export interface ProbeSpacing extends ThrottleOptions {
  retryAfterMs: number;
}

/** Outcome of a re-probe: how many inputs conformed, the first failure, and the kinds of leaks. */
export type Reprobed = Required<ReprobeFacts>;

/** Allows the calls of one run in quick succession, but throttles those of many runs in favour of buyers' calls. */
const SPACING: ProbeSpacing = { burst: 48, leastMs: 80, mostMs: 160, retryAfterMs: 1_000 };
const REPROBE_INPUTS = 3;
const REPROBE_EXAMPLES = 1;
const REPROBE_ATTEMPTS = 4;
const REPROBE_BASELINE = 2;
const INVALID_CALLS = 3;

export function createVerificationProbes({ spacing = SPACING, ...given }: VerificationProbeDeps) {
  const throttle = createThrottle(spacing);
  const deps = { ...given, throttle, retryAfterMs: spacing.retryAfterMs };

  return {
    /** Resolves when a stage may begin. With many concurrent runs, the work around the calls is throttled, too. */
    turn: throttle.turn,

    /**
     * Runs dynamic testing. The inputs depend on the run, never on the version alone. Both stages draw the same plan,
     * and each makes its own calls.
     */
    async dynamic(
      version: ServingVersion,
      runId: string,
      options: LiveOptions,
    ): Promise<LiveEvidence['dynamic']> {
      const calls = createProbeCalls(deps, version, { ...options, seed: seedOf(runId) });
      if (version.kind === 'mcp') return testTools(deps, calls, version, { ...options, seed: seedOf(runId) });
      const plan = await runPlan(deps, version, calls, { runId, ...options });
      const found = await testStage(calls, plan, 'dynamic', options.place);
      return { ...found, tools: null, jobs: calls.jobs(), ...calls.pauses() };
    },

    /** Runs the red team. */
    async redTeam(version: ServingVersion, runId: string, options: LiveOptions): Promise<RedTeamEvidence> {
      const calls = createProbeCalls(deps, version, { ...options, seed: seedOf(runId) });
      if (version.kind === 'mcp')
        return attackTools(deps, calls, version, { ...options, seed: seedOf(runId) });
      const plan = await runPlan(deps, version, calls, { runId, ...options });
      return testStage(calls, plan, 'redTeam', options.place);
    },

    /** Calls a serving version again between two runs, with new inputs and some attempts of the red team. */
    async again(
      version: ServingVersion,
      options: Pick<ProbeCallsOptions, 'signal' | 'isCrowded'>,
    ): Promise<Reprobed & WithTools> {
      const seed = randomInt(2 ** 31);
      const calls = createProbeCalls(deps, version, { ...options, seed, isServing: true });
      if (version.kind === 'mcp') {
        const run = { place: createCallOrder().join(), seed, ownHosts: [] };
        const { dynamic, redTeam } = await againTools(deps, calls, version, run);
        const found = { dynamic: { ...dynamic, dataHandling: { personalData: [] } }, redTeam };
        return { ...reprobedOf(joinShares(found)), listed: dynamic.listed ?? null };
      }
      const plan = await planOf(deps, version, { ...calls, random: calls.inputs }, seed);
      const result = await testLive(calls, {
        ...plan,
        examples: plan.examples.slice(0, REPROBE_EXAMPLES),
        wanted: REPROBE_INPUTS + Math.min(plan.examples.length, REPROBE_EXAMPLES),
        idempotent: false,
        streaming: false,
        mostAttempts: REPROBE_ATTEMPTS,
        mostBaseline: REPROBE_BASELINE,
      });
      return reprobedOf(result);
    },
  };
}

export type VerificationProbes = ReturnType<typeof createVerificationProbes>;

type Calls = ReturnType<typeof createProbeCalls>;

/**
 * The plan of a run, which is the same each time that it is drawn. The red team of a short pass has no calls for
 * ordinary inputs.
 */
async function runPlan(
  deps: ProbeCallsDeps,
  version: ServingVersion,
  calls: Calls,
  options: { runId: string } & Pick<LiveOptions, 'ownHosts' | 'declared' | 'mostCalls'>,
): Promise<LivePlan> {
  const { runId, ownHosts, declared, mostCalls } = options;
  const plan = await planOf(deps, version, { ...calls, random: calls.inputs }, seedOf(runId));
  const mostBaseline = mostCalls === undefined ? plan.mostBaseline : 0;
  const valid = [...plan.examples.map(({ text }) => text), ...plan.made];
  const hasSchema = version.inputSchema !== null;
  const invalid = hasSchema ? await wrongInputs(valid, calls.accepts) : [];
  const invalidWanted = hasSchema ? INVALID_CALLS : 0;
  return { ...plan, mostBaseline, invalid, invalidWanted, ownHosts, declared };
}

/** Fewer answers may be equal by chance. */
const LEAST_ANSWERS = 4;

function reprobedOf({
  dynamic,
  redTeam,
}: Pick<LiveFound, 'redTeam'> & {
  dynamic: Pick<LiveFound['dynamic'], 'conformance' | 'answers' | 'dataHandling'>;
}): Reprobed {
  const { probes } = dynamic.conformance;
  const { distinct = 0, inputs = 0, isProse = false, isFickle = false, ordinary } = dynamic.answers ?? {};
  const failed = probes.find(({ code }) => code !== 'conforms');
  const mismatch = (redTeam.answers?.mismatched ?? 0) > 0 ? ('output_schema_mismatch' as const) : null;
  return {
    conforming: probes.filter(({ code }) => code === 'conforms').length,
    failure: failed?.code ?? mismatch,
    leaks: [...new Set(redTeam.attacks.flatMap(({ leaks }) => leaks.map(({ kind }) => kind)))].sort(),
    isConstant: distinct === 1 && inputs >= LEAST_ANSWERS,
    isRepetitive: isProse && isFickle && (ordinary?.alike ?? 0) > 0,
    hasPersonalData: dynamic.dataHandling.personalData.some(({ isCertain }) => isCertain ?? true),
  };
}

/** Each run has its own seed. A repeated stage of the same run sends the same inputs. */
function seedOf(runId: string): number {
  return createHash('sha256').update(runId).digest().readUInt32BE();
}
