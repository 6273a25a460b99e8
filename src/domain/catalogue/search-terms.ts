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
}

const TOKEN = /(-?)"([^"]*)"|(\S+)/g;
/** One or two letters occur inside of too many words. Other scripts, and signs as in C++, have short words. */
const SHORT_WORD = /^[a-z0-9]{1,2}$/;
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** Divides a query. Signs without a letter or digit are no terms. */
export function searchTerms(query: string): SearchTerms {
  const wanted: string[] = [];
  const excluded: string[] = [];
  const plain: string[] = [];
  let isChoice = false;
  for (const [token, minus, phrase, word] of query.matchAll(TOKEN)) {
    const isExcluded = (minus ?? '') === '-' || (word?.startsWith('-') ?? false);
    const text = (phrase ?? word ?? '').replace(/^-+/, '');
    if (isExcluded && HAS_LETTER.test(text)) excluded.push(phrase === undefined ? text : `"${phrase}"`);
    if (isExcluded) continue;
    wanted.push(token);
    if (word?.toLowerCase() === 'or') isChoice = true;
    else if (HAS_LETTER.test(text)) plain.push(text.toLowerCase().normalize('NFKC').trim());
  }
  const isShort = (text: string) => SHORT_WORD.test(text);
  // A choice is left to the two queries of words.
  const parts = isChoice ? [] : plain.filter((text) => !isShort(text));
  return {
    wanted: wanted.length > 0 ? wanted.join(' ') : null,
    excluded: excluded.length > 0 ? excluded.join(' or ') : null,
    parts,
    words: parts.length > 0 ? plain.filter(isShort).join(' ') : '',
  };
}
