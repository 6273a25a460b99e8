/** The probes of a version, by kind of agent: of a run, and between runs. */
import { createHash, randomInt } from 'node:crypto';
import { servedTools, type Tool } from '../../domain/catalogue/tools/tool-list';
import { textsOf } from '../../domain/catalogue/tools/tool-changes';
import type { ReprobeFacts } from '../../domain/verification/behaviour';
import type { DynamicEvidence, RedTeamEvidence } from '../../domain/verification/probe-facts';
import { joinShares } from '../../domain/verification/live-shares';
import { createThrottle, type ThrottleOptions } from '../../kit/concurrency/throttle';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { coverage } from '../../verification/probes/dynamic-testing';
import { wrongInputs } from '../../verification/probes/invalid-inputs';
import { probe } from '../../verification/probes/conformance-probe';
import type { LiveResults } from '../../verification/probes/live-evidence';
import type { LivePlan } from '../../verification/probes/live-plan';
import { createCallOrder, type Place } from '../../verification/turns/call-order';
import { type LiveFound, testLive, testStage } from '../../verification/probes/live-testing';
import { BLANK_INPUT, readToolDescriptions } from '../../verification/probes/reachability-probe';
import { toolFlaws } from '../../verification/tools/tool-scan';
import { MAX_ANSWER_BYTES } from '../calls/agent/agent-answer';
import { toolsDigest } from '../mcp/notary/tool-digest';
import { planOf } from './probe-plan';
import { createProbeCalls, type ProbeCallsDeps, type ProbeCallsOptions } from './probe-calls';

export type VerificationProbeDeps = Omit<ProbeCallsDeps, 'throttle' | 'retryAfterMs'> & {
  spacing?: ProbeSpacing;
};

/** How closely calls follow each other. Only tests give another than `SPACING` (docs/internals/tests.md#cost). */
export interface ProbeSpacing extends ThrottleOptions {
  retryAfterMs: number;
}

/** The evidence of each stage at the endpoint. `tools` is set for MCP agents. */
export interface LiveEvidence {
  dynamic: LiveResults['dynamic'] & Pick<DynamicEvidence, 'tools' | 'jobs'> & WithTools;
  redTeam: RedTeamEvidence;
}

/** Not evidence: the tools that an MCP server listed; null if it did not. */
interface WithTools {
  listed?: readonly Tool[] | null;
}

/** `place`: in the order of the run's calls. */
export type LiveOptions = Omit<ProbeCallsOptions, 'seed'> &
  Required<Pick<LivePlan, 'ownHosts' | 'declared'>> & { place: Place };

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
      if (version.kind === 'mcp') return listTools(calls, version, options.place);
      const plan = await runPlan(deps, version, calls, { runId, ...options });
      const found = await testStage(calls, plan, 'dynamic', options.place);
      return { ...found, tools: null, jobs: calls.jobs() };
    },

    /** Runs the red team. */
    async redTeam(version: ServingVersion, runId: string, options: LiveOptions): Promise<RedTeamEvidence> {
      const calls = createProbeCalls(deps, version, { ...options, seed: seedOf(runId) });
      if (version.kind === 'mcp') return readTools(calls, options.place);
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
        const order = createCallOrder();
        const dynamic = await listTools(calls, version, order.join());
        const redTeam = readToolDescriptions(descriptionsOf(calls));
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

/** An MCP server gets no call of its tools: only the list of its tools is examined. */
async function listTools(
  calls: Calls,
  { timeoutMs, inputRole: role }: ServingVersion,
  place: Place,
): Promise<LiveEvidence['dynamic']> {
  const plan: LivePlan = {
    examples: [],
    made: [BLANK_INPUT],
    baseline: [],
    mostBaseline: 0,
    salt: '',
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
  };
  const dynamic = await testStage(calls, plan, 'dynamic', place);
  const tools = calls.tools();
  const found = coverage(1, tools ? 1 : 0, 'not_answered');
  const unpassed = calls.unpassed();
  const facts = { coverage: found, count: tools?.length ?? 0, unpassed };
  const served = tools && servedTools(tools);
  const ofList = served && { digest: toolsDigest(served), flaws: toolFlaws(served) };
  return { ...dynamic, tools: { ...facts, ...ofList }, listed: tools };
}

/** The red team of an MCP server lists its tools, too, and reads their descriptions. */
async function readTools(calls: Calls, place: Place): Promise<RedTeamEvidence> {
  if (calls.hasTime()) await place.run(1, () => probe(calls, { text: BLANK_INPUT }));
  return readToolDescriptions(descriptionsOf(calls));
}

/** All texts of each tool, which a model would read. */
function descriptionsOf(calls: Calls): string[] {
  return (calls.tools() ?? []).map((tool) => [...textsOf(tool).values()].join('\n'));
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
