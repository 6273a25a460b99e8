/** What a search looks for besides the English forms of its words (`q` of GET /v1/listings). */
export interface SearchTerms {
  /** The query without excluded words, for `websearch_to_tsquery`; null when it only excludes. */
  wanted: string | null;
  /** The excluded words and phrases, joined by `or`; null when there are none. */
  excluded: string | null;
  /** Texts that must all occur, also inside of words, in lower case and NFKC; empty when only whole words count. */
  parts: string[];
  /** Short words that must occur as a whole beside `parts`; empty if there are none. */
  words: string;
  /** The words of `parts` that may be misspelt; empty when the query names exactly what it wants. */
  near: string[];
  /** The other parts: quoted, or too short to be compared. */
  exact: string[];
  /** The quoted phrases, in the form of `parts`. */
  quoted: string[];
  /** Whether agents that miss words may answer: not a choice, an id or an address, nor signs alone. */
  isIntent: boolean;
  /** One word of a script with spaces, such as a slug: agents with parts of it answer only if none has the whole. */
  isOneWord: boolean;
  /** The agent whose id the query is. */
  agentId: string | null;
}

const TOKEN = /(-?)"([^"]*)"|(\S+)/g;
/** One or two letters occur inside of too many words. Other scripts, and signs as in C++, have short words. */
const SHORT_WORD = /^[a-z0-9]{1,2}$/;
const HAS_LETTER = /[\p{L}\p{N}]/u;
const AGENT_ID = /^agt_[a-z0-9_]+_v[0-9]+$/;
/** The beginning of an agent's id: the slug with `_` for `-`. */
const PART_OF_ID = /^agt_([a-z0-9_]*?)(?:_v[0-9]*)?$/;
/** The shortest word that `near_words` compares (migrations/functions/catalogue/near_words.sql). */
const LEAST_COMPARED = 4;
const ADDRESS = /[^@]@[^@]/;
/** Scripts without spaces between words, and Korean, as in `is_unspaced`. */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/u;
/** Further words of a query are not compared. */
const MOST_NEAR = 8;

/** Divides a query. Signs without a letter or digit are no terms. */
export function searchTerms(query: string): SearchTerms {
  const wanted: string[] = [];
  const excluded: string[] = [];
  const plain: string[] = [];
  const quoted = new Set<string>();
  let isChoice = false;
  for (const [token, minus, phrase, word] of query.matchAll(TOKEN)) {
    const isExcluded = (minus ?? '') === '-' || (word?.startsWith('-') ?? false);
    const text = (phrase ?? word ?? '').replace(/^-+/, '');
    if (isExcluded && HAS_LETTER.test(text)) excluded.push(phrase === undefined ? text : `"${phrase}"`);
    if (isExcluded) continue;
    wanted.push(token);
    if (word?.toLowerCase() === 'or') isChoice = true;
    else if (HAS_LETTER.test(text)) {
      const part = slugOf(text.toLowerCase().normalize('NFKC').trim());
      plain.push(part);
      if (phrase !== undefined) quoted.add(part);
    }
  }
  const isShort = (text: string) => SHORT_WORD.test(text);
  const comparedIn = (part: string) => (quoted.has(part) ? [] : comparedWords(part));
  // A choice is left to the two queries of words.
  const parts = isChoice ? [] : plain.filter((text) => !isShort(text));
  // Words of the other scripts are not known, so nothing can be written like them.
  const isSpaced = !parts.some((part) => UNSPACED.test(part));
  const agentId = AGENT_ID.test(query.trim().toLowerCase()) ? query.trim().toLowerCase() : null;
  return {
    wanted: wanted.length > 0 ? wanted.join(' ') : null,
    excluded: excluded.length > 0 ? excluded.join(' or ') : null,
    parts,
    words: parts.length > 0 ? plain.filter(isShort).join(' ') : '',
    near: isSpaced ? parts.flatMap(comparedIn).slice(0, MOST_NEAR) : [],
    exact: parts.filter((part) => !isSpaced || comparedIn(part).length === 0),
    quoted: [...quoted],
    isIntent: !isChoice && agentId === null && plain.length > 0 && !plain.some((part) => ADDRESS.test(part)),
    isOneWord: plain.length === 1 && !UNSPACED.test(plain.join('')),
    agentId,
  };
}

/** What texts of an agent contain of the beginning of its id; any other text as it is. */
function slugOf(text: string): string {
  const [, slug] = PART_OF_ID.exec(text) ?? [];
  return slug ? slug.replaceAll('_', '-') : text;
}

const comparedWords = (part: string): string[] =>
  part.split(SEPARATORS).filter((word) => [...word].length >= LEAST_COMPARED);
