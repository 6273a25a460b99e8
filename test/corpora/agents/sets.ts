/** The sets of the corpus of agents. */
import { BAD } from './bad';
import { BAD_SERVICES } from './bad-services';
import type { CorpusAgent } from './corpus-agent';
import { BAD_CHARACTERS, GOOD_CHARACTERS } from './characters';
import { BAD_FORMS, GOOD_FORMS } from './forms';
import { GOOD } from './good';
import { GOOD_SERVICES } from './good-services';
import { BAD_PUBLIC, GOOD_PUBLIC } from './public-kinds';
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
];

/** The agents and sets with the given names, or all; good ones first. */
export function corpusAgents(wanted: readonly string[]): { agent: CorpusAgent; isGood: boolean }[] {
  const isWanted = (set: AgentSet) => (agent: CorpusAgent) =>
    wanted.length === 0 || wanted.includes(set.name) || wanted.includes(agent.name);
  return [true, false].flatMap((isGood) =>
    SETS.flatMap((set) =>
      (isGood ? set.good : set.bad).filter(isWanted(set)).map((agent) => ({ agent, isGood })),
    ),
  );
}
