/** The sets of the corpus of agents. */
import { createHash } from 'node:crypto';
import { BAD } from './bad';
import { BAD_SERVICES } from './bad-services';
import type { CorpusAgent } from './corpus-agent';
import { BAD_CHARACTERS, GOOD_CHARACTERS } from './characters';
import { BAD_FORMS, GOOD_FORMS } from './forms';
import { GOOD } from './good';
import { GOOD_SERVICES } from './good-services';
import { BAD_PUBLIC, GOOD_PUBLIC } from './public-kinds';
import { BAD_READERS, GOOD_READERS } from './readers';
import { BAD_UNSEEN, GOOD_UNSEEN } from './unseen';

interface AgentSet {
  name: string;
  good: readonly CorpusAgent[];
  bad: readonly CorpusAgent[];
}

const SETS: readonly AgentSet[] = [
  { name: 'first', good: GOOD, bad: BAD },
  { name: 'services', good: GOOD_SERVICES, bad: BAD_SERVICES },
  { name: 'forms', good: GOOD_FORMS, bad: BAD_FORMS },
  { name: 'unseen', good: GOOD_UNSEEN, bad: BAD_UNSEEN },
  { name: 'characters', good: GOOD_CHARACTERS, bad: BAD_CHARACTERS },
  { name: 'public', good: GOOD_PUBLIC, bad: BAD_PUBLIC },
  { name: 'readers', good: GOOD_READERS, bad: BAD_READERS },
];

interface SetAgent {
  agent: CorpusAgent;
  isGood: boolean;
  /** True for the set with a held-out third. */
  isReader: boolean;
}

/** The agents and sets with the given names, or all; good ones first. */
export function corpusAgents(wanted: readonly string[]): SetAgent[] {
  const isWanted = (set: AgentSet) => (agent: CorpusAgent) =>
    wanted.length === 0 || wanted.includes(set.name) || wanted.includes(agent.name);
  return [true, false].flatMap((isGood) =>
    SETS.flatMap((set) =>
      (isGood ? set.good : set.bad)
        .filter(isWanted(set))
        .map((agent) => ({ agent, isGood, isReader: set.name === 'readers' })),
    ),
  );
}

/** True for the third of the set `readers` whose misses are counted, but not looked at when rules are written. */
export function isHeldOut({ name }: CorpusAgent): boolean {
  return (createHash('sha256').update(name).digest()[0] ?? 0) % 3 === 0;
}
