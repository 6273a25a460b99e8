/** Agents for a search that finds nothing, and what of the search was left out for them. */
import { searchTerms } from '../../../domain/catalogue/search/search-terms';
import type { Db } from '../../db';
import type { ListingRow } from '../listings';
import type { ListingFilter } from './listing-order';
import { searchListings } from './listing-search';

/** A filter by its name in `ListingFilter`. */
type FilterName = Exclude<keyof ListingFilter, 'agentIds' | 'q'>;

export interface NearestListings {
  rows: ListingRow[];
  leftOut: {
    /** The words of the query without which the agents were found. */
    words: string[];
    /** The filters without which they were found. */
    filters: FilterName[];
    /** The filters of which each one alone hides agents that all others find. */
    alone: FilterName[];
  };
}

const SHOWN = 3;

/**
 * Finds up to three agents: without one filter, if it alone hides some; without all filters; if there is none, without
 * the words; if there is none, without both. Undefined if nothing is listed or the search wants everything.
 */
export async function nearestListings(db: Db, filter: ListingFilter): Promise<NearestListings | undefined> {
  // Only these may be found at all.
  const { q, agentIds, ...filters } = filter;
  const names = (Object.keys(filters) as FilterName[]).filter((name) => isSet(filters[name]));
  const find = async (attempt: ListingFilter) => {
    const page = { sort: 'relevance', limit: SHOWN } as const;
    return (await searchListings(db, { ...attempt, agentIds }, page)).rows;
  };
  const { parts, words } = searchTerms(q ?? '');
  const asked = [...parts, ...words.split(' ').filter((word) => word !== '')];

  const rows = names.length > 0 ? await find({ q }) : [];
  if (rows.length > 0) {
    const first = names.length > 1 ? await withoutOne(names, filter, find) : { rows, alone: names };
    const without = first.alone.slice(0, 1);
    return first.rows.length > 0
      ? { rows: first.rows, leftOut: { words: [], filters: without, alone: first.alone } }
      : { rows, leftOut: { words: [], filters: names, alone: [] } };
  }
  if (q === undefined) return undefined;
  const ofFilters = await find(filters);
  if (ofFilters.length > 0) return { rows: ofFilters, leftOut: { words: asked, filters: [], alone: [] } };
  const any = names.length > 0 ? await find({}) : [];
  return any.length > 0 ? { rows: any, leftOut: { words: asked, filters: names, alone: [] } } : undefined;
}

/** The filters of which each alone hides agents, in order, and agents that the first of them hides. */
async function withoutOne(
  names: readonly FilterName[],
  filter: ListingFilter,
  find: (attempt: ListingFilter) => Promise<ListingRow[]>,
): Promise<{ rows: ListingRow[]; alone: FilterName[] }> {
  const alone: FilterName[] = [];
  let first: ListingRow[] = [];
  for (const name of names) {
    const rows = await find({ ...filter, [name]: undefined });
    if (rows.length === 0) continue;
    if (alone.length === 0) first = rows;
    alone.push(name);
  }
  return { rows: first, alone };
}

const isSet = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
