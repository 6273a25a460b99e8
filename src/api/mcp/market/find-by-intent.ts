/**
 * The seam between the tool `search_agents` and the search of the catalogue: from an intent in plain words to a list of
 * agents. The search takes words that must all occur. Where no agent has all words of an intent, those with any of its
 * longer words are found.
 */
import type { Listing, Listings, ListingSearch } from '../../../services/catalogue/listings';

export interface Intent extends Pick<ListingSearch, 'category' | 'maxPriceUnits' | 'minTrustScore'> {
  /** What is to be done, in words of any length. */
  words: string;
  /** The longest median duration of a call. */
  maxMedianMs: number | undefined;
  /** Only these agents. */
  only: readonly string[] | undefined;
  most: number;
}

export interface FoundAgents {
  rows: Listing[];
  total: number;
  /** No agent has all words of the intent. */
  isNear: boolean;
}

/** The longest text that the search of the catalogue takes. */
const MOST_CHARACTERS = 256;
/** A bound of the duration, and a list of agents, are compared with at most so many of the agents that were found. */
const MOST_COMPARED = 100;
const LEAST_WORD = 4;
const MOST_WORDS = 12;
/** Words that nearly every intent has. */
const COMMON = new Set(
  'about agent agents convert data file find from give have help into like make need please some that the their them then these this those using want what when where which with would your'.split(
    ' ',
  ),
);
const NO_WORD = /[^\p{L}\p{N}\p{M}]+/gu;

/** Finds the agents that answer an intent, the best first. */
export async function findByIntent(
  listings: Pick<Listings, 'search'>,
  { words, maxMedianMs, only, most, ...bounds }: Intent,
): Promise<FoundAgents> {
  const isCompared = maxMedianMs !== undefined || only !== undefined;
  const limit = isCompared ? MOST_COMPARED : most;
  const search = (q: string) => listings.search({ ...bounds, q, sort: 'relevance' }, { limit, after: [] });
  const plain = words.replaceAll(NO_WORD, ' ').trim().toLowerCase();
  const within = (found: Omit<FoundAgents, 'isNear'>, isNear: boolean): FoundAgents => {
    const isMeant = ({ agentId, p50Ms }: Listing) =>
      (only?.includes(agentId) ?? true) &&
      (maxMedianMs === undefined || (p50Ms !== null && p50Ms <= maxMedianMs));
    const meant = found.rows.filter(isMeant);
    return { rows: meant.slice(0, most), total: isCompared ? meant.length : found.total, isNear };
  };
  if (plain.length > 0 && plain.length <= MOST_CHARACTERS) {
    const exact = await search(plain);
    if (exact.total > 0 && !exact.isNear) return within(exact, false);
  }
  const any = choiceOf(plain);
  return any === '' ? within({ rows: [], total: 0 }, true) : within(await search(any), true);
}

/** The telling words of an intent, as a choice: `page or markdown`. */
function choiceOf(plain: string): string {
  const telling = [...new Set(plain.split(' '))].filter(
    (word) => word.length >= LEAST_WORD && word.length <= 40 && !COMMON.has(word),
  );
  let choice = '';
  for (const word of telling.slice(0, MOST_WORDS)) {
    const longer = choice === '' ? word : `${choice} or ${word}`;
    if (longer.length > MOST_CHARACTERS) break;
    choice = longer;
  }
  return choice;
}
