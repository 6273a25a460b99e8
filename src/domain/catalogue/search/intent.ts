/**
 * The search by intent (ADR 0338): any word of a query may be missing. The text of an agent counts the weights of the
 * words that it has. A word weighs more the fewer agents have it, and more in a name than in a description.
 */
import { isRequestWord } from './request-words';

/** A word of a query as `intent_words` reads it. Parts of a word in a script without spaces share a label. */
export interface IntentWord {
  label: string;
  /** The word and its stems, without accents. */
  terms: string[];
  /** The stems of its beginnings and ends if it is long. */
  parts: string[];
  /** How many agents have the word, about; 0 when none has it. */
  agents: number;
}

/** What is looked for in one field: the agents with one of the terms there get the points. */
export interface IntentKey {
  /** Index of the word. */
  word: number;
  points: number;
  terms: string[];
  /** Fields, as `search_terms_of` writes them. */
  letters: string[];
  /** Whether agents are found by this word; otherwise it compares those that the others have found. */
  finds: boolean;
}

/** A word that no agent has, which may be misspelt or a part of another. */
export interface UnknownWord {
  word: number;
  points: number;
  text: string;
}

export interface Intent {
  words: readonly { label: string; isRequest: boolean }[];
  keys: IntentKey[];
  unknown: UnknownWord[];
}

/** The share of a word's weight that each field gives. A word in name, tags and description has all of it. */
const FIELDS = [
  ['n:', 0.4],
  ['g:', 0.3],
  ['d:', 0.4],
  ['s:', 0.15],
  ['p:', 0.25],
] as const;
const PART = 0.25;
/** For a word that was not looked up by field. */
const ANYWHERE = 0.5;
/** A request word against any other. */
const REQUEST = 0.1;
/** Further words of a query are not compared: those that most agents have. */
const MOST_WORDS = 24;
const MOST_UNKNOWN = 3;
/** How many agents the words may find together, the rarest word first. The others only compare. */
const MOST_FOUND = 1_000;
const LEAST_COMPARED = 4;

/** Weighs the words of a query against those of all agents. */
export function weighIntent(words: readonly IntentWord[], agents: number): Intent {
  const kept = [...words].sort((a, b) => rank(a) - rank(b)).slice(0, MOST_WORDS);
  const intent: Intent = { words: [], keys: [], unknown: [] };
  let found = 0;
  intent.words = kept.map(({ label, terms, parts, agents: having }, word) => {
    const isRequest = terms.some(isRequestWord);
    const weight = Math.log(1 + agents / (1 + having)) * (isRequest ? REQUEST : 1);
    const finds = word === 0 || (!isRequest && found + having <= MOST_FOUND);
    if (finds) found += having;
    const key = (points: number, keyTerms: string[], letters: string[]) =>
      intent.keys.push({ word, points: points * weight, terms: keyTerms, letters, finds });
    if (having > 0 && finds) for (const [letter, share] of FIELDS) key(share, terms, [letter]);
    if (having > 0 && !finds)
      key(
        ANYWHERE,
        terms,
        FIELDS.map(([letter]) => letter),
      );
    if (parts.length > 0 && !isRequest) key(PART, parts, ['n:', 'g:', 'd:']);
    const [text] = terms;
    const isComparable =
      having === 0 && !isRequest && text !== undefined && [...text].length >= LEAST_COMPARED;
    if (isComparable && intent.unknown.length < MOST_UNKNOWN)
      intent.unknown.push({ word, points: weight, text: label });
    return { label, isRequest };
  });
  return intent;
}

/** Words that fewer agents have first, then those that none has, then those with which people ask. */
function rank({ terms, agents }: IntentWord): number {
  if (terms.some(isRequestWord)) return 2e9;
  return agents > 0 ? agents : 1e9;
}

/** The labels of the words that an agent lacks, in the order of the query. `has` has a bit for each word. */
export function missingWords(
  query: readonly IntentWord[],
  { words }: Pick<Intent, 'words'>,
  has: bigint,
): string[] {
  const having = new Set(words.filter((_, at) => (has >> BigInt(at)) & 1n).map(({ label }) => label));
  const asked = new Set(words.filter(({ isRequest }) => !isRequest).map(({ label }) => label));
  return [...new Set(query.map(({ label }) => label))].filter(
    (label) => asked.has(label) && !having.has(label),
  );
}
