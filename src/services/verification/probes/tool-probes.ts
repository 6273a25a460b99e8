/**
 * Probes of MCP agents: the list of their tools, whose texts are read, and calls of the tools that may be called. A
 * host without a proof gets the list alone, because its owner has not said that tools of it may be called.
 */
import { servedTools } from '../../../domain/catalogue/tools/tool-list';
import { textsOf } from '../../../domain/catalogue/tools/tool-changes';
import type { Gap } from '../../../domain/evidence/evidence-facts';
import type { RedTeamEvidence, ShareFacts } from '../../../domain/verification/probe-facts';
import type { UntestedReason } from '../../../domain/catalogue/tools/tool-tests';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { probe } from '../../../verification/probes/conformance-probe';
import { coverage } from '../../../verification/probes/dynamic-testing';
import type { LiveResults } from '../../../verification/probes/live-evidence';
import type { LivePlan } from '../../../verification/probes/live-plan';
import { type LiveDeps, testStage } from '../../../verification/probes/live-testing';
import { BLANK_INPUT, readToolDescriptions } from '../../../verification/probes/reachability-probe';
import { withSentence } from '../../../verification/probes/text-fields';
import {
  attacksOnTools,
  inTools,
  testedTools,
  type ToolCounts,
} from '../../../verification/tools/tested-tools';
import { toolCalls } from '../../../verification/tools/tool-calls';
import { calledBy, planTools, type ToolPlan } from '../../../verification/tools/tool-plan';
import { toolFlaws } from '../../../verification/tools/tool-scan';
import type { Place } from '../../../verification/turns/call-order';
import { MAX_ANSWER_BYTES } from '../../calls/agent/agent-answer';
import { toolsDigest } from '../../mcp/notary/tool-digest';
import { type createProbeCalls, type ProbeCallsDeps } from './probe-calls';
import { writesMarkup, writesPrompts } from './probe-plan';
import type { LiveEvidence, LiveOptions } from './live-stages';

type Calls = ReturnType<typeof createProbeCalls>;

interface ToolRun extends Pick<LiveOptions, 'place' | 'ownHosts' | 'mostCalls'> {
  declared?: LiveOptions['declared'];
  seed: number;
}

/** The slots of the calls of the list, which come before those of the tools. */
const SLOTS_OF_LIST = 10;
const MOST_BASELINE = 3;
const MOST_ATTACK_INPUTS = 8;
/** What is sent to the tools of a version between two runs. */
const AGAIN = { made: 3, examples: 1 } as const;

/** Lists the tools, and calls those that may be called. */
export async function testTools(
  deps: Pick<ProbeCallsDeps, 'schemas'>,
  calls: Calls,
  version: ServingVersion,
  run: ToolRun,
): Promise<LiveEvidence['dynamic']> {
  const listing = await listTools(calls, version, run.place);
  const { listed } = listing;
  if (!listed || !listing.tools) return listing;
  const names = servedTools(listed).map(({ name }) => String(name));
  const session = run.mostCalls === undefined ? await begin(deps, calls, version, run) : undefined;
  const called = session && (await testStage(session.live, session.plan, 'dynamic', behind(run.place)));
  const left = session?.left ?? unproven(names);
  const { tests, gaps } = testedTools(names, left, session?.counts ?? new Map<string, ToolCounts>());
  const counted = inTools(tests, gaps);
  const found = called ? joined(listing, called) : listing;
  return {
    ...found,
    conformance: { ...found.conformance, coverage: counted },
    latency: { ...found.latency, coverage: counted },
    invalidInput: { ...found.invalidInput, coverage: counted },
    responseSize: { ...found.responseSize, coverage: counted },
    personalData: counted,
    tools: { ...listing.tools, tested: tests },
    listed,
  };
}

/** Lists the tools, reads their texts, and attacks those that may be called by what they are given. */
export async function attackTools(
  deps: Pick<ProbeCallsDeps, 'schemas'>,
  calls: Calls,
  version: ServingVersion,
  run: ToolRun,
): Promise<RedTeamEvidence> {
  const { place } = run;
  if (calls.hasTime()) await place.run(1, () => probe(calls, { text: BLANK_INPUT }));
  const read = readToolDescriptions(descriptionsOf(calls));
  const listed = calls.tools();
  if (!listed) return read;
  const names = servedTools(listed).map(({ name }) => String(name));
  const session = run.mostCalls === undefined ? await begin(deps, calls, version, run) : undefined;
  const harmless = session ? [...session.called.values()].filter((tool) => tool.isHarmless) : [];
  const left = new Map(session ? [...session.left] : unproven(names));
  for (const { name } of session?.called.values() ?? [])
    if (!harmless.some((tool) => tool.name === name)) left.set(name, 'undeclared');
  const { gaps } = testedTools(
    names.filter((name) => left.has(name)),
    left,
    new Map(),
  );
  const counted = { total: names.length, called: harmless.length, gaps };
  if (!session || harmless.length === 0) return { ...read, attacks: untried(read.attacks, counted) };
  const found = await testStage(session.live, session.plan, 'redTeam', behind(place));
  const attacks = attacksOnTools(found.attacks, counted).map((attack) => {
    const ofTexts = read.attacks.find(({ category }) => category === attack.category)?.leaks ?? [];
    return { ...attack, leaks: [...ofTexts, ...attack.leaks] };
  });
  return { ...found, attacks, ...(found.share && { share: incomparable(found.share) }) };
}

/** Lists the tools again, and calls some of them, as buyers do. */
export async function againTools(
  deps: Pick<ProbeCallsDeps, 'schemas'>,
  calls: Calls,
  version: ServingVersion,
  run: ToolRun,
): Promise<{ dynamic: LiveEvidence['dynamic']; redTeam: RedTeamEvidence }> {
  const listing = await listTools(calls, version, run.place);
  const redTeam = readToolDescriptions(descriptionsOf(calls));
  if (!listing.listed) return { dynamic: listing, redTeam };
  const { live, plan } = await begin(deps, calls, version, run);
  const [made, spares] = [plan.made.slice(0, AGAIN.made), plan.spares?.slice(0, AGAIN.made) ?? []];
  const examples = plan.examples.slice(0, AGAIN.examples);
  const few = { ...plan, made, spares, examples, invalid: [], mostAttempts: 0, mostBaseline: 0 };
  const called = await testStage(live, few, 'dynamic', behind(run.place));
  return { dynamic: { ...joined(listing, called), listed: listing.listed }, redTeam };
}

/** The list of the tools of a server, as evidence of a stage that made no other calls. */
async function listTools(
  calls: Calls,
  version: ServingVersion,
  place: Place,
): Promise<LiveEvidence['dynamic']> {
  const plan: LivePlan = {
    ...planOf(version, { made: [BLANK_INPUT], spares: [], examples: [], invalid: [] }),
    wanted: 1,
    gap: 'no_input_schema',
    mostAttempts: 0,
  };
  const { spares: _, ...blank } = plan;
  const dynamic = await testStage(calls, blank, 'dynamic', place);
  const tools = calls.tools();
  const found = coverage(1, tools ? 1 : 0, 'not_answered');
  const unpassed = calls.unpassed();
  const facts = { coverage: found, count: tools?.length ?? 0, unpassed };
  const served = tools && servedTools(tools);
  const ofList = served && { digest: toolsDigest(served), flaws: toolFlaws(served) };
  return { ...dynamic, tools: { ...facts, ...ofList }, listed: tools };
}

/** All texts of each tool, which a model would read. */
function descriptionsOf(calls: Calls): string[] {
  return (calls.tools() ?? []).map((tool) => [...textsOf(tool).values()].join('\n'));
}

interface Session extends ToolPlan {
  plan: LivePlan;
  live: LiveDeps;
  counts: ReadonlyMap<string, ToolCounts>;
}

/** Draws the calls of the listed tools. Both stages of a run draw the same ones. */
async function begin(
  { schemas }: { schemas: SchemaPool },
  calls: Calls,
  version: ServingVersion,
  { seed, ownHosts, declared }: ToolRun,
): Promise<Session> {
  const { developerUserId: developer, examples, jobs } = version;
  const source = { tools: calls.tools() ?? [], examples, takesJobs: jobs !== null, developer, seed };
  const drawn = await planTools(schemas, source, calls.inputs);
  const hosts = { ownHosts, ...(declared && { declared }) };
  const plan = { ...planOf(version, drawn), salt: String(seed), ...hosts };
  return { ...drawn, plan, ...toolCalls(schemas, { ...calls, call: calls.callTool }, drawn) };
}

function planOf(
  version: ServingVersion,
  { made, spares, examples, invalid }: Pick<ToolPlan, 'made' | 'spares' | 'examples' | 'invalid'>,
): LivePlan {
  const texts = made.filter((text) => /:"/.test(calledBy(text).given));
  return {
    examples,
    made,
    spares,
    baseline: made.slice(0, MOST_BASELINE),
    mostBaseline: MOST_BASELINE,
    salt: '',
    attackInputs: texts.slice(0, MOST_ATTACK_INPUTS),
    wanted: examples.length + made.length,
    gap: 'no_inputs',
    invalid,
    invalidWanted: invalid.length,
    timeoutMs: version.timeoutMs,
    limitBytes: MAX_ANSWER_BYTES,
    idempotent: false,
    streaming: false,
    role: version.inputRole,
    writesPrompts: writesPrompts(version),
    writesMarkup: writesMarkup(version),
    ownHosts: [],
    hasText: texts.some((text) => withSentence(text, 'x') !== undefined),
  };
}

/** The evidence of the calls, with the one of the list in front. */
function joined(listing: LiveEvidence['dynamic'], called: LiveResults['dynamic']): LiveEvidence['dynamic'] {
  const { conformance } = called;
  const probes = [...listing.conformance.probes, ...conformance.probes];
  return {
    ...listing,
    ...called,
    conformance: { ...conformance, probes },
    share: incomparable(called.share),
  };
}

/** Different tools may answer alike, so their answers are not compared with each other. */
function incomparable(share: ShareFacts): ShareFacts {
  const ordinary = { inputs: 0, alikeShapes: 0, alikeTexts: 0 };
  return {
    ...share,
    answers: { prints: [], again: [], isProse: false, isMeaningful: false, ordinary },
  };
}

/** Nothing but the texts of the tools was examined. */
function untried(
  attacks: RedTeamEvidence['attacks'],
  { total, gaps }: { total: number; gaps: readonly Gap[] },
): RedTeamEvidence['attacks'] {
  return attacks.map((attack) => ({ ...attack, coverage: { wanted: total, looked: 0, gaps: [...gaps] } }));
}

function unproven(names: readonly string[]): ReadonlyMap<string, UntestedReason> {
  return new Map(names.map((name) => [name, 'unproven']));
}

/** The same place, for calls that come after those of the list. */
function behind(place: Place): Place {
  return {
    run: (slot, work) => place.run(SLOTS_OF_LIST + slot, work),
    begin: (slot, work) => place.begin(SLOTS_OF_LIST + slot, work),
    widen: (slots) => place.widen(slots),
    leave: () => place.leave(),
  };
}
