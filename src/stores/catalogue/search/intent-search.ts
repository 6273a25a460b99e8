/**
 * Agents that have some of the words of a query (ADR 0338). The rarest words find them by an index; the others compare
 * the best of those. So the cost depends neither on common words nor on the number of agents.
 */
import {
  type IntentKey,
  type IntentWord,
  missingWords,
  weighIntent,
} from '../../../domain/catalogue/search/intent';
import type { SearchTerms } from '../../../domain/catalogue/search/search-terms';
import { UNITS_PER_CREDIT } from '../../../domain/ledger/money';
import { keysByMeaning } from '../../../domain/catalogue/search/meaning';
import type { Db } from '../../db';
import { type ListingRow, SOURCES } from '../listings';
import {
  excluding,
  filtersOf,
  type ListingFilter,
  type ListingSort,
  type Param,
  SORT_KEYS,
  TRUST,
} from './listing-order';
import { type PageRow, pageOf, toPage } from './listing-page';
import { CHARGED_UNITS } from '../../prices/charged-price';

interface IntentPage {
  sort: ListingSort;
  limit: number;
  after?: readonly string[] | undefined;
  /** Agents that are shown before. */
  without: readonly string[];
  meaning?: Meaning | undefined;
}

/** Vectors of queries (ADR 0269). */
export interface Meaning {
  model: string;
  /** Undefined if the vector does not come in time. */
  of(query: string): Promise<Int8Array | undefined>;
}

/** How many agents one word in one field finds. */
const MOST_OF_WORD = 2_000;
/** The shares of a word's weight for one that is nearly the same, and for one that contains it. */
const NEAR = 0.35;
const INSIDE = 0.5;
/** How many of the best are compared by all words; more when filters leave some out. */
const COMPARED = 200;
const COMPARED_FILTERED = 2_000;
/** How many are shown, and the part of the best one's points that each has at least. */
const SHOWN = 200;
const LEAST_PART = 0.35;

/** The share of quality in the order, and the parts of quality: trust, success, speed and price (ADR 0338). */
const QUALITY_SHARE = 0.2;
const QUALITY = `(0.4 * ${TRUST} + 0.3 * success_bound(s.buyer_days_30d, s.success_rate)
  + 0.15 * coalesce(2000.0 / (2000 + s.p50_ms), 0.5) + 0.15 * ${50 * UNITS_PER_CREDIT}.0 / (${50 * UNITS_PER_CREDIT} + ${CHARGED_UNITS}))`;

/** Finds a page of agents that have some of the words, and what each of them misses. */
export async function searchByIntent(
  db: Db,
  filter: ListingFilter,
  terms: SearchTerms,
  page: IntentPage,
): Promise<{ rows: ListingRow[]; total: number }> {
  const { words, agents } = await readWords(db, terms.wanted ?? '');
  if (words.length === 0) return { rows: [], total: 0 };
  const intent = weighIntent(words, agents);
  const values: unknown[] = [];
  const param: Param = (value) => `$${values.push(value)}`;
  const filters = filtersOf(filter, param);
  const conditions = [
    ...filters,
    ...excluding(terms, param),
    ...terms.quoted.map((phrase) => `strpos(v.search_text, ${param(phrase)}) > 0`),
    ...(page.without.length > 0 ? [`a.agent_id <> ALL (${param(page.without)}::text[])`] : []),
  ];
  const isFiltered = conditions.length > (page.without.length > 0 ? 1 : 0);
  const compared = isFiltered ? COMPARED_FILTERED : COMPARED + page.without.length;
  const key =
    page.sort === 'relevance'
      ? `c.points * (${1 - QUALITY_SHARE} + ${QUALITY_SHARE} * ${QUALITY}) * 1000000000`
      : SORT_KEYS[page.sort];
  const meaning = page.sort === 'relevance' ? page.meaning : undefined;
  const name = isFiltered ? undefined : nameOf(page, words.length);
  const statement = {
    text: `WITH keys AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset(${param(JSON.stringify(intent.keys.map(toQuery)))}::jsonb)
           AS k (word integer, points double precision, finds boolean, query tsquery)
     ), unknown AS MATERIALIZED (
       SELECT word, points, near_query(text) AS near, inside_query(text) AS inside
         FROM jsonb_to_recordset(${param(JSON.stringify(intent.unknown))}::jsonb)
           AS u (word integer, points double precision, text text)
     ), pairs AS (
       SELECT t.place, k.points, 1::bigint << k.word AS has FROM keys k CROSS JOIN LATERAL (
         SELECT place FROM agent_search t WHERE t.terms @@ k.query AND t.listed LIMIT ${MOST_OF_WORD}) t WHERE k.finds
       UNION ALL ${agentsOf(NEAR, 'near')}
       ${words.length <= MOST_PARTS ? `UNION ALL ${agentsOf(INSIDE, 'inside')}` : ''}
     ), best AS (
       SELECT place, sum(points) AS points, bit_or(has) AS has FROM pairs GROUP BY place ORDER BY points DESC, place
        LIMIT ${compared}
     ), compared AS (
       SELECT t.agent_id, b.points + coalesce(o.points, 0) AS points, b.has | coalesce(o.has, 0) AS has
         FROM best b JOIN agent_search t USING (place) LEFT JOIN LATERAL (
           SELECT sum(k.points) AS points, bit_or(1::bigint << k.word) AS has FROM keys k
            WHERE NOT k.finds AND t.terms @@ k.query) o ON true
     ), ${isFiltered ? '' : GOOD} matches AS (
       SELECT c.*, m.sort_key FROM ${isFiltered ? 'compared' : 'good'} c CROSS JOIN LATERAL (
         SELECT (${key})::bigint AS sort_key FROM ${SOURCES}
          WHERE a.agent_id = c.agent_id AND a.listed AND a.status = 'active'
            ${conditions.map((condition) => `AND ${condition}`).join('\n')} OFFSET 0) m
     ), found AS MATERIALIZED (
       SELECT * FROM matches WHERE points >= ${LEAST_PART} * (SELECT max(points) FROM matches)
        ORDER BY points DESC, agent_id LIMIT ${SHOWN}
     ), ${meaning ? candidatesOf(meaning, param) : pageOf({ ...page, more: ', found.has' }, param)}`,
    values,
    ...(name !== undefined && { name: meaning ? `${name}-meaning` : name }),
  };
  const found = meaning
    ? await readByMeaning(db, statement, { ...page, meaning, query: terms.wanted ?? '' })
    : (await db.query<FoundRow>(statement)).rows;
  return toPage(found, ({ has }) => ({ missing: missingWords(words, intent, BigInt(has)) }));
}

/** Without filters, nearly all that are compared match: those too far from the best need no further look. */
const GOOD = `good AS (
       SELECT * FROM compared WHERE points >= ${LEAST_PART} * (SELECT max(points) FROM compared)
     ),`;

/** What is looked for, as `search_query` writes it. */
function toQuery({ word, points, finds, terms, letters }: IntentKey) {
  const quoted = (term: string) => `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const lexemes = terms.flatMap((term) => letters.map((letter) => quoted(letter + term)));
  return { word, points, finds, query: lexemes.join(' | ') };
}

type FoundRow = PageRow & { has: string };

interface CandidateRow {
  agent_id: string;
  sort_key: string;
  has: string;
  vector: Buffer | null;
}

/** The end of the statement that reads all agents found, with their vectors. */
const candidatesOf = ({ model }: Meaning, param: Param) => `vectors AS MATERIALIZED (
       SELECT found.agent_id, found.sort_key, found.has, m.vector FROM found
         LEFT JOIN agent_vectors m ON m.agent_id = found.agent_id AND m.model = ${param(model)}
     ) SELECT * FROM vectors`;

/** The page of the agents found, ordered by meaning too if the vector of the query comes in time. */
async function readByMeaning(
  db: Db,
  statement: { text: string; values: unknown[] },
  { meaning, query, ...page }: IntentPage & { meaning: Meaning; query: string },
): Promise<FoundRow[]> {
  const [{ rows }, vector] = await Promise.all([db.query<CandidateRow>(statement), meaning.of(query)]);
  const read = rows.map(({ agent_id: agentId, sort_key: sortKey, has, vector: bytes }) => ({
    agentId,
    sortKey: BigInt(sortKey),
    has,
    vector: bytes && new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }));
  const found = vector ? keysByMeaning(read, vector) : read;
  const values: unknown[] = [
    found.map(({ agentId }) => agentId),
    found.map(({ sortKey }) => String(sortKey)),
    found.map(({ has }) => has),
  ];
  const param: Param = (value) => `$${values.push(value)}`;
  const { rows: shown } = await db.query<FoundRow>(
    `WITH found AS MATERIALIZED (
       SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS f (agent_id, sort_key, has)
     ), ${pageOf({ ...page, more: ', found.has' }, param)}`,
    values,
  );
  return shown;
}

/**
 * The name of the first page without filters. Postgres plans a named statement once for a connection, which takes as
 * long as the search of a short query. Each name has one text, and there are at most 20 (ADR 0367).
 */
function nameOf({ sort, after, without }: IntentPage, words: number): string | undefined {
  if (sort !== 'relevance' || after) return undefined;
  return `intent-${words <= MOST_PARTS ? 'parts' : 'words'}-${without.length}`;
}

/** The words of a query, and how many agents are listed, about. */
async function readWords(db: Db, query: string): Promise<{ words: IntentWord[]; agents: number }> {
  const { rows } = await db.query<IntentWord & { total: number | null }>({
    name: 'intent-words',
    text: `SELECT w.*, (SELECT agents FROM search_term_counts WHERE term = '') AS total FROM intent_words($1) w`,
    values: [query],
  });
  return { words: rows, agents: Math.max(rows[0]?.total ?? 0, LEAST_AGENTS) };
}

/** A marketplace whose words are not counted yet has about as many. */
const LEAST_AGENTS = 100;

/** Parts of words are looked for in queries of up to this many, as in matching.ts. */
const MOST_PARTS = 3;
/** How many agents a misspelt word finds, and a part of a word: a large market has many. */
const MOST_OF_UNKNOWN = 200;

/** Agents with words that are nearly the unknown ones, or contain them. */
function agentsOf(share: number, words: 'near' | 'inside'): string {
  return `SELECT t.place, ${share} * u.points, 1::bigint << u.word FROM unknown u CROSS JOIN LATERAL (
         SELECT place FROM agent_search t WHERE t.terms @@ u.${words} AND t.listed LIMIT ${MOST_OF_UNKNOWN}) t`;
}
