/** Agents for a search that finds nothing, and what of the search was left out for them. */
import { searchTerms } from '../../../domain/catalogue/search/search-terms';
import type { Db } from '../../db';
import type { ListingRow } from '../listings';
import type { ListingFilter } from './listing-order';
import { searchListings } from './listing-search';

export interface NearestListings {
  rows: ListingRow[];
  /** The words of the query and the filters, by their names in `ListingFilter`, that were left out. */
  leftOut: { words: string[]; filters: Exclude<keyof ListingFilter, 'agentIds'>[] };
}

const SHOWN = 3;

/**
 * Finds up to three agents: without the filters; if there is none, without the words; if there is none, without both.
 * Undefined if nothing is listed or the search wants everything.
 */
export async function nearestListings(db: Db, filter: ListingFilter): Promise<NearestListings | undefined> {
  // Only these may be found at all.
  const { q, agentIds, ...filters } = filter;
  const names = (Object.keys(filters) as (keyof typeof filters)[]).filter((name) => isSet(filters[name]));
  const { parts, words } = searchTerms(q ?? '');
  const asked = [...parts, ...words.split(' ').filter((word) => word !== '')];
  const attempts: [boolean, ListingFilter, NearestListings['leftOut']][] = [
    [q !== undefined && names.length > 0, { q }, { words: [], filters: names }],
    [q !== undefined, filters, { words: asked, filters: [] }],
    [names.length > 0, {}, { words: asked, filters: names }],
  ];
  for (const [isLess, attempt, leftOut] of attempts) {
    if (!isLess) continue;
    const { rows } = await searchListings(db, { ...attempt, agentIds }, { sort: 'relevance', limit: SHOWN });
    if (rows.length > 0) return { rows, leftOut };
  }
  return undefined;
}

const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
