/**
 * Joins the evidence of the two stages at the endpoint. Each stage judges the answers of its own calls. Facts that need
 * the answers of both stages are computed here from their stored parts, so neither stage needs an answer of the other.
 */
import type { LeakKind } from '../evidence/leak-kinds';
import type {
  AnswersFact,
  AnswersShare,
  AttackFact,
  DynamicEvidence,
  RedTeamEvidence,
  ReliabilityFact,
  ShareFacts,
} from './probe-facts';

/** Leaks that the words of another caller can look like. */
export const OF_INSTRUCTIONS: ReadonlySet<LeakKind> = new Set([
  'disclosed_instructions',
  'dropped_guard',
  'instructs_reader',
]);

interface Live {
  dynamic: Pick<DynamicEvidence, 'share' | 'answers' | 'reliability'> & {
    dataHandling: Pick<DynamicEvidence['dataHandling'], 'personalData'>;
  };
  redTeam: RedTeamEvidence;
}

/** The evidence of both stages as if one had made all calls. Evidence of releases before the shares stays as it is. */
export function joinShares<T extends Live>(evidence: T): T {
  const { share: ours, ...dynamic } = evidence.dynamic;
  const { share: theirs, ...redTeam } = evidence.redTeam;
  if (!ours) return evidence;
  const shares = [ours, ...(theirs ? [theirs] : [])];
  const personalData = joinPersonalData(ours.personalData, theirs?.personalData ?? []);
  return {
    ...evidence,
    dynamic: {
      ...dynamic,
      answers: joinAnswers(shares.map(({ answers }) => answers)),
      reliability: joinReliability(shares.map(({ reliability }) => reliability)),
      dataHandling: { ...dynamic.dataHandling, personalData },
    },
    redTeam: { ...redTeam, attacks: joinAttacks(redTeam.attacks, shares) },
  };
}

function joinAnswers(shares: readonly AnswersShare[]): AnswersFact {
  const byInput = new Map(
    shares.flatMap(({ prints }) => prints.map((print) => [print.input, print] as const)),
  );
  const prints = [...byInput.values()];
  const shapes = new Set(prints.map(({ shape }) => shape));
  const again = shares.flatMap((share) => share.again);
  // Numbers that stay when an input is sent again are an answer to it, not a clock or a counter.
  const isSteady = again.length > 0 && again.every(({ input, text }) => text === byInput.get(input)?.text);
  const alike = prints.find((one) => prints.some((other) => other !== one && other.shape === one.shape));
  const sum = (of: (share: AnswersShare['ordinary']) => number) =>
    shares.reduce((total, { ordinary }) => total + of(ordinary), 0);
  return {
    inputs: prints.length,
    distinct: isSteady ? new Set(prints.map(({ text }) => text)).size : shapes.size,
    isProse: shares.some(({ isProse }) => isProse),
    isMeaningful: shares.some(({ isMeaningful }) => isMeaningful),
    ordinary: {
      inputs: sum(({ inputs }) => inputs),
      alike: sum(({ alikeShapes, alikeTexts }) => (isSteady ? alikeTexts : alikeShapes)),
    },
    ...(alike?.invocationId !== undefined && { invocationId: alike.invocationId }),
    isFickle: again.some(({ input, shape }) => shape !== byInput.get(input)?.shape && shapes.has(shape)),
  };
}

function joinReliability(facts: readonly ReliabilityFact[]): ReliabilityFact {
  const [first] = facts.filter(({ faults }) => faults > 0);
  return {
    calls: facts.reduce((total, { calls }) => total + calls, 0),
    faults: facts.reduce((total, { faults }) => total + faults, 0),
    ...(first?.invocationId !== undefined && { invocationId: first.invocationId }),
  };
}

function joinPersonalData(
  ours: ShareFacts['personalData'],
  theirs: ShareFacts['personalData'],
): ShareFacts['personalData'] {
  const joined = ours.map((fact) => {
    const same = theirs.find(({ kind }) => kind === fact.kind);
    if (!same) return fact;
    const isCertain = (fact.isCertain ?? true) || (same.isCertain ?? true);
    return { ...fact, isCertain, outputs: fact.outputs + same.outputs };
  });
  const others = theirs.filter(({ kind }) => !ours.some((fact) => fact.kind === kind));
  return [...joined, ...others].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/**
 * Adds the leaks in ordinary answers, each of which counts as an attempt. Instructions in the answers of an agent that
 * mixes callers may be those of an attempt, so they are left out: what it does is critical.
 */
function joinAttacks(attacks: readonly AttackFact[], shares: readonly ShareFacts[]): AttackFact[] {
  const mixes = shares.some(({ mixesCallers }) => mixesCallers);
  const ordinary = shares.flatMap(({ leaks }) => leaks);
  const counts = ({ kind }: { kind: LeakKind }) => !(mixes && OF_INSTRUCTIONS.has(kind));
  return attacks.map(({ category, coverage, leaks }) => {
    const found = ordinary.filter((leak) => leak.category === category && counts(leak));
    const more = found.reduce((total, { attempts }) => total + attempts, 0);
    return {
      category,
      coverage: { ...coverage, wanted: coverage.wanted + more, looked: coverage.looked + more },
      leaks: joinLeaks(leaks.filter(counts), found),
    };
  });
}

function joinLeaks(leaks: AttackFact['leaks'], found: ShareFacts['leaks']): AttackFact['leaks'] {
  const joined = leaks.map((leak) => ({ ...leak }));
  for (const { category: _, ...leak } of found) {
    const known = joined.find(({ kind }) => kind === leak.kind);
    if (known) known.attempts += leak.attempts;
    else joined.push(leak);
  }
  return joined.sort((a, b) => a.kind.localeCompare(b.kind, 'en'));
}
