/**
 * `npm run bench:verification -- rehearse [name…]`: the probes, re-probes and counters of buyers' calls on the agents
 * of `test/corpora/agents`, without a market: the agents are functions, and no time passes between the calls. It takes
 * seconds, and shows what the detectors find. `agents` shows the same in a running market.
 */
import { type CorpusAgent, type Memory, object } from '../../test/corpora/agents/corpus-agent';
import { corpusAgents, isHeldOut } from '../../test/corpora/agents/sets';
import { testManifest } from '../../test/support/agents/manifest';
import { inputRoleOf } from '../../src/domain/catalogue/input-role';
import { differenceOf, judgeTally, openDifferences, weightOf } from '../../src/domain/verification/behaviour';
import { joinShares } from '../../src/domain/verification/live-shares';
import type {
  BehaviourFacts,
  DynamicEvidence,
  RedTeamEvidence,
} from '../../src/domain/verification/probe-facts';
import { compileSchema } from '../../src/kit/schemas/schema-compiler';
import { loadSampleGenerator, makeSamples } from '../../src/kit/schemas/schema-samples';
import type { AgentAnswer } from '../../src/services/calls/agent/agent-answer';
import type { LiveOptions } from '../../src/services/verification/probes/live-stages';
import {
  createVerificationProbes,
  type VerificationProbeDeps,
} from '../../src/services/verification/probes/verification-probes';
import type { ServingVersion } from '../../src/stores/catalogue/serving-versions';
import { createCallOrder } from '../../src/verification/turns/call-order';
import { evidenceOf } from '../../src/verification/probes/live-evidence';
import { saysWords } from '../../src/verification/probes/red-team';
import { FIRST_RUBRIC } from '../../src/verification/scoring/first-rubric';
import { observeDynamic, observeRedTeam } from '../../src/verification/scoring/observe-probes';

export interface Rehearsed {
  name: string;
  kind: string;
  isGood: boolean;
  /** `rule (severity)` of each grave finding. */
  grave: string[];
  /** Rules of all other findings. */
  other: string[];
  /** How re-probes differed. */
  differences: string[];
  calls: number;
}

const NO_BEHAVIOUR: BehaviourFacts = {
  coverage: { wanted: 0, looked: 0, gaps: [] },
  matching: 0,
  open: 0,
  buyers: null,
  differing: [],
};
const BUYER_CALLS = 45;
const BUYERS = 3;
const REPROBES = 3;
const AT_ONCE = 32;
/** Milliseconds that pass for the agent before it is sold, and between re-probes. */
const LATER_MS = 30_000;

/** Verifies an agent as a run, a buyer and re-probes do, and tells what is found. */
export async function rehearse(agent: CorpusAgent, isGood: boolean, seed: string): Promise<Rehearsed> {
  const memory: Memory = { calls: 0, inputs: [], isSold: false, ageMs: 0, headers: {} };
  const version = versionOf(agent);
  const probes = createVerificationProbes(await depsOf(agent, memory));
  const options = { signal: new AbortController().signal, isServing: false, ownHosts: [], declared: [] };
  const order = createCallOrder();
  const found = async <T>(stage: (options: LiveOptions) => Promise<T>, place = order.join()) => {
    try {
      return await stage({ ...options, place });
    } finally {
      place.leave();
    }
  };
  const [dynamic, redTeam] = await Promise.all([
    found((given) => probes.dynamic(version, seed, given)),
    found((given) => probes.redTeam(version, seed, given)),
  ]);
  const { personalData: coverage, ...calls } = dynamic;
  const { personalData } = dynamic.share;
  const declared = { piiProcessed: false, retentionDays: 1, residency: '', subprocessors: 0 };
  const evidence = joinShares({
    dynamic: {
      ...calls,
      dataHandling: { declared, coverage, personalData, notAudited: [] },
      behaviour: NO_BEHAVIOUR,
    },
    redTeam,
  });
  memory.isSold = true;
  memory.ageMs += LATER_MS;
  const behaviour = await behaviourOf(probes, agent, version, memory, evidence);
  const limits = FIRST_RUBRIC.limits;
  const rules = [
    ...observeDynamic({ ...evidence.dynamic, behaviour }, limits),
    ...observeRedTeam(evidence.redTeam, behaviour, limits),
  ].map(({ rule }) => rule);
  const severityOf = (rule: (typeof rules)[number]) => FIRST_RUBRIC.severities[rule];
  const isGrave = (rule: (typeof rules)[number]) => ['high', 'critical'].includes(severityOf(rule));
  const shown = (some: typeof rules) => [...new Set(some)].map((rule) => `${rule} (${severityOf(rule)})`);
  return {
    name: agent.name,
    kind: agent.kind,
    isGood,
    grave: shown(rules.filter(isGrave)),
    differences: behaviour.differing.map(({ code }) => code),
    other: shown(rules.filter((rule) => !isGrave(rule))),
    calls: memory.calls,
  };
}

/** What a buyer's calls and some re-probes show after the run. */
async function behaviourOf(
  probes: ReturnType<typeof createVerificationProbes>,
  agent: CorpusAgent,
  version: ServingVersion,
  memory: Memory,
  run: { dynamic: DynamicEvidence; redTeam: RedTeamEvidence },
): Promise<BehaviourFacts> {
  const tally = sell(agent, version, memory);
  const codes: string[] = [];
  const outcomes = {
    succeeded: tallyOf(tally.succeeded),
    refused: tallyOf(tally.refused),
    failed: tallyOf(tally.failed),
    buyerDays: BUYERS,
  };
  const verdict = judgeTally(outcomes, run);
  if (verdict === 'bad') codes.push(...Array<string>(weightOf('agent_error')).fill('buyers'));
  for (let at = 0; at < REPROBES; at += 1) {
    memory.ageMs += LATER_MS;
    const seen = await probes.again(version, { signal: new AbortController().signal });
    codes.push(differenceOf(seen, run) ?? 'conforms');
  }
  const rows = codes.map((code) => ({ code, reached: true }));
  const differing = codes.filter((code) => code !== 'conforms');
  const counted = [...new Set(differing)].map((code) => ({
    code,
    count: differing.filter((one) => one === code).length,
  }));
  return {
    ...NO_BEHAVIOUR,
    // A run begins at the first difference, before later re-probes can make up for it.
    open: Math.max(openDifferences(rows), differing.length > 0 ? 1 : 0),
    differing: counted as BehaviourFacts['differing'],
    buyers: verdict === 'bad' ? { calls: BUYER_CALLS, failed: tally.failed, code: 'agent_error' } : null,
  };
}

/** The calls with one outcome, as if each buyer had the same part of them. */
function tallyOf(calls: number) {
  const share = calls / BUYER_CALLS;
  return { calls, days: BUYERS * share, buyers: share >= 0.25 ? BUYERS : 0 };
}

function sell(agent: CorpusAgent, version: ServingVersion, memory: Memory) {
  const fields = (agent.manifest.inputSchema?.['properties'] ?? {}) as Record<string, unknown>;
  const tally = { succeeded: 0, refused: 0, failed: 0 };
  const check = compileSchema(JSON.parse(version.outputSchema ?? '{}') as Record<string, unknown>);
  for (let call = 0; call < BUYER_CALLS; call += 1) {
    const usual = 'a' in fields ? { a: 2, b: 3 } : { text: `Please look at order ${call} of today.` };
    const answer = answerTo(agent, Buffer.from(JSON.stringify(agent.buyerInput ?? usual)), memory);
    if (answer.ok && check(JSON.parse(answer.json.toString())).length === 0) tally.succeeded += 1;
    else if (
      !answer.ok &&
      answer.status !== undefined &&
      answer.status >= 400 &&
      answer.status < 500 &&
      answer.status !== 401
    )
      tally.refused += 1;
    else tally.failed += 1;
  }
  return tally;
}

function versionOf({ name, manifest: { more, ...options } }: CorpusAgent): ServingVersion {
  const manifest = {
    ...testManifest('https://agent.example', { ...options, agentId: name }),
    ...more,
  } as ReturnType<typeof testManifest> & {
    examples?: ServingVersion['examples'];
    input_role?: ServingVersion['inputRole'];
  };
  return {
    versionId: name,
    agentId: name,
    slug: name,
    version: '1.0.0',
    displayName: manifest.display_name,
    description: manifest.description,
    kind: 'manifest',
    developerUserId: 'developer',
    endpointUrl: 'https://agent.example',
    terms: { model: 'per_call' },
    timeoutMs: options.timeoutMs ?? 5_000,
    maxPayloadBytes: 1_000_000,
    idempotent: options.idempotent ?? false,
    streaming: options.streaming ?? false,
    a2aInvocable: true,
    retentionDays: 1,
    inputSchema: JSON.stringify(manifest.input_schema),
    outputSchema: JSON.stringify(manifest.output_schema ?? object({})),
    examples: manifest.examples ?? [],
    inputRole: inputRoleOf(manifest),
    sealedSigningSecret: Buffer.alloc(0),
    x402: null,
    card: null,
    jobs: null,
  } as unknown as ServingVersion;
}

function answerTo(agent: CorpusAgent, body: Buffer, memory: Memory): AgentAnswer {
  const text = body.toString();
  const none = { delivered: false, durationMs: 5 };
  let answered: ReturnType<CorpusAgent['answer']>;
  try {
    answered = agent.answer(JSON.parse(text) as Record<string, unknown>, memory);
  } catch {
    answered = { status: 400, output: {} };
  }
  memory.calls += 1;
  memory.inputs.push(text);
  const { behaviour } = answered;
  if (behaviour?.kind === 'hangs') return { ok: false, code: 'agent_timeout', ...none };
  if (behaviour && behaviour.kind !== 'answer')
    return { ok: false, code: 'agent_error', status: 200, ...none };
  const { status = 200, output } = behaviour ?? answered;
  if (status !== 200) return { ok: false, code: 'agent_error', status, ...none };
  const json = Buffer.from(JSON.stringify(output));
  return { ok: true, json, status, ...none } as unknown as AgentAnswer;
}

async function depsOf(agent: CorpusAgent, memory: Memory): Promise<VerificationProbeDeps> {
  const generate = await loadSampleGenerator();
  const compiled = new Map<string, ReturnType<typeof compileSchema>>();
  return {
    agents: { call: (_call: unknown, body: Buffer) => Promise.resolve(answerTo(agent, body, memory)) },
    schemas: {
      validate: (key: string, schema: string, value: string | Buffer) => {
        const check = compiled.get(key) ?? compileSchema(JSON.parse(schema) as Record<string, unknown>);
        compiled.set(key, check);
        const problems = check(JSON.parse(value.toString()));
        return Promise.resolve(problems.length === 0 ? { valid: true } : { valid: false, problems });
      },
      sample: (schema: string, wish: { count: number; seed: number }) =>
        Promise.resolve(makeSamples(JSON.parse(schema) as Record<string, unknown>, generate, wish)),
    },
    pace: { draw: () => ({ acceptMs: 0, forwardMs: 0 }), pauseMs: () => 0 },
    reader: {
      of: () => ({
        saysWords: (words: string, input: string, answer: Buffer) =>
          Promise.resolve(saysWords(words, input, answer)),
        evidence: (...given: Parameters<typeof evidenceOf>) => Promise.resolve(evidenceOf(...given)),
      }),
    },
  } as unknown as VerificationProbeDeps;
}

/** Rehearses the agents with the given names, or all of them, with several seeds, and prints what is wrong. */
export async function benchRehearsal(wanted: readonly string[]): Promise<void> {
  const seeds = Number(process.env['SEEDS'] ?? 3);
  const agents = corpusAgents(wanted);
  const runs = agents.flatMap((one) => Array.from({ length: seeds }, (_, seed) => ({ ...one, seed })));
  const counts = new Map<string, { right: number; all: number }>();
  const next = runs.values();
  const work = async () => {
    for (const { agent, isGood, seed, isReader } of next) {
      const result = await rehearse(agent, isGood, `${seed}`);
      const isRight = isGood === (result.grave.length === 0);
      const isHidden = isReader && isHeldOut(agent);
      count(
        counts,
        `${isGood ? 'good' : 'bad'}${isReader ? `, ${isHidden ? 'held out' : 'seen'}` : ''}`,
        isRight,
      );
      if (isHidden || (isRight && process.env['FINDINGS'] !== '1')) continue;
      const found = [...result.grave, ...result.other, ...result.differences].join(', ');
      const name = `${isGood ? 'good' : 'bad'} ${agent.name} (seed ${seed})`;
      console.log(`${name}${isRight ? '' : ' is wrong'}: ${found}; ${result.calls} calls`);
    }
  };
  // The calls of a run are spaced, so that several runs take no longer than one.
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const [part, { right, all }] of [...counts].sort())
    console.log(`${part}: ${right} of ${all} right (${((100 * right) / all).toFixed(1)}%)`);
}

function count(counts: Map<string, { right: number; all: number }>, part: string, isRight: boolean): void {
  const { right, all } = counts.get(part) ?? { right: 0, all: 0 };
  counts.set(part, { right: right + Number(isRight), all: all + 1 });
}
