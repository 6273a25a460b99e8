/**
 * Search over listings. Every order is a single bigint key, highest first, then the agent id. A cursor is therefore
 * always (key, id), and new agents neither repeat nor hide others.
 */
import { type SearchTerms, searchTerms } from '../../../domain/catalogue/search/search-terms';
import type { Db } from '../../db';
import { type ListingRow, SOURCES } from '../listings';
import { type Meaning, searchByIntent } from './intent-search';
import {
  excluding,
  filtersOf,
  type ListingFilter,
  type ListingSort,
  type Param,
  SORT_KEYS,
} from './listing-order';
import { type PageRow, pageOf, toPage } from './listing-page';
import { exactly, type Matching, nearly } from './matching';

export interface ListingResults {
  rows: ListingRow[];
  total: number;
  /** Nothing has the words of the query; these have words that are written nearly alike. */
  isNear: boolean;
}

interface Page {
  sort: ListingSort;
  limit: number;
  after?: readonly string[] | undefined;
  /** Orders agents that miss words by meaning too. */
  meaning?: Meaning | undefined;
}

/** With fewer agents that have all words, others follow that miss some. */
const FEW = 10;
/** Longer queries are sentences, in which words nearly alike are looked for one by one. */
const MOST_NEAR = 3;
/** Keys of the best match with all words are above those of the others. */
const ALL_WORDS = 1_000_000_000_000_000;

/**
 * Returns one page of search results and the total number of matches: agents that have all words; those that have words
 * near all of them if there are none; then, up to a number, those that miss some. Orders other than the best match have
 * the agents that miss words only when none has them all.
 */
export async function searchListings(db: Db, filter: ListingFilter, page: Page): Promise<ListingResults> {
  const terms = searchTerms(filter.q ?? '');
  const exact = await readPage(db, { filter, terms, match: exactly, ...page });
  if (exact.total >= FEW || !terms.isIntent) return { ...exact, isNear: false };
  if (exact.total === 0 && terms.near.length > 0 && terms.parts.length <= MOST_NEAR) {
    const near = await readPage(db, { filter, terms, match: nearly, ...page });
    if (near.total > 0) return { ...near, isNear: true };
  }
  if (exact.total > 0 && (terms.isOneWord || page.sort !== 'relevance')) return { ...exact, isNear: false };
  const { after: _, ...first } = page;
  const all = page.after
    ? await readPage(db, { filter, terms, match: exactly, ...first, limit: FEW })
    : exact;
  const others = await searchByIntent(db, filter, terms, {
    ...page,
    without: all.rows.map(({ agentId }) => agentId),
    limit: page.limit - exact.rows.length,
  });
  return { rows: [...exact.rows, ...others.rows], total: exact.total + others.total, isNear: false };
}

interface Search extends Page {
  filter: ListingFilter;
  terms: SearchTerms;
  match: (terms: SearchTerms, param: Param) => Matching | undefined;
}

async function readPage(db: Db, { filter, terms, match, sort, limit, after }: Search) {
  const values: unknown[] = [];
  const param: Param = (value) => `$${values.push(value)}`;
  const matching = match(terms, param);
  const twice = sort === 'relevance' ? matching?.twice : undefined;
  const key = sort === 'relevance' && matching ? `${ALL_WORDS} + ${matching.rank}` : SORT_KEYS[sort];
  const filters = filtersOf(filter, param);
  const conditions = [...(matching ? [matching.found] : []), ...excluding(terms, param), ...filters];
  const isFirst = sort === 'relevance' && !after && filters.length === 0;
  const found = await db.query<PageRow>({
    // Planned once for a connection, like the search by intent (ADR 0367).
    ...(isFirst && matching?.name !== undefined && { name: `listings-${matching.name}` }),
    text: `WITH ${twice === undefined ? 'found' : 'ranked'} AS MATERIALIZED (
       SELECT a.agent_id, (${key})::bigint AS sort_key FROM ${SOURCES} WHERE a.listed AND a.status = 'active'
         ${conditions.map((condition) => `AND ${condition}`).join('\n')}
     ), ${twice === undefined ? '' : doubled(twice)} ${pageOf({ limit, after }, param)}`,
    values,
  });
  return toPage(found.rows);
}

/** How many of the best are asked whether their rank counts twice. */
const MOST_DOUBLED = 50;

/** The list `found` of the list `ranked`: the ranks of some of the best count twice. */
const doubled = (condition: string) => `doubled AS MATERIALIZED (
       SELECT b.agent_id FROM (SELECT agent_id FROM ranked ORDER BY sort_key DESC, agent_id DESC LIMIT ${MOST_DOUBLED}) b
         JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id WHERE ${condition}
     ), found AS MATERIALIZED (
       SELECT agent_id, CASE WHEN agent_id IN (SELECT agent_id FROM doubled)
           THEN 2 * sort_key - ${ALL_WORDS}::bigint ELSE sort_key END AS sort_key FROM ranked
     ),`;
