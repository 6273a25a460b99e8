/**
 * Search over listings. Every order is a single bigint key, highest first, then the agent id. A cursor is therefore
 * always (key, id), and new agents neither repeat nor hide others.
 */
import { type SearchTerms, searchTerms } from '../../domain/catalogue/search-terms';
import type { Db } from '../db';
import { type ListingRow, type RawListing, RECORD, SOURCES, toListing } from './listings';

export type ListingSort = 'relevance' | 'trust_score' | 'price_asc' | 'price_desc' | 'newest' | 'popular';

export interface ListingFilter {
  q?: string | undefined;
  category?: string | undefined;
  tags?: readonly string[] | undefined;
  badge?: string | undefined;
  minTrustScore?: number | undefined;
  maxPriceUnits?: number | undefined;
  pricingModel?: string | undefined;
  protocol?: 'http' | 'mcp' | undefined;
  /** The public id of a developer. */
  developerId?: string | undefined;
}

export interface ListingResults {
  rows: ListingRow[];
  total: number;
  /** Nothing has the words of the query; these have words that are written nearly alike. */
  isNear: boolean;
}

/** Adds a value to those of the statement. Returns the name of its parameter. */
type Param = (value: unknown) => string;

/** Which agents a query finds, and how well the texts of each answer it, as SQL over `agents a`, `agent_versions v`. */
interface Matching {
  found: string;
  rank: string;
}

/** Agents of developers with one of the words, of which at most this many are compared. */
const MOST_DEVELOPERS = 1_000;
/** The weight of a text that has the words only inside of longer ones, or in the developer's name. */
const PART = 0.05;
const PART_OF_NAME = 0.1;

/**
 * What an agent has proved: its calls of the last 30 days, of which the share that at least succeeds counts twice, so
 * that a high score does not outweigh failures.
 */
const PROVED = 'power(success_bound(s.invocations_30d, s.success_rate), 2)';
const TRUST = '(coalesce(a.trust_score, -1) + 1) / 101.0';
const QUALITY = `${TRUST} * ${PROVED}`;

const SORT_KEYS: Record<ListingSort, string> = {
  relevance: `${QUALITY} * 1000000000`,
  trust_score: 'coalesce(a.trust_score, -1)',
  price_asc: '-v.price_units',
  price_desc: 'v.price_units',
  newest: 'extract(epoch FROM a.created_at) * 1000000',
  // Buyers of each day, then calls: one buyer's many calls do not outrank many buyers.
  popular: 'coalesce(s.buyer_days_30d, 0) * 1000000::bigint + least(coalesce(s.invocations_30d, 0), 999999)',
};

/**
 * Returns one page of search results and the total number of matches. Agents with words near those of the query are
 * searched only when none has the words themselves.
 */
export async function searchListings(
  db: Db,
  filter: ListingFilter,
  page: { sort: ListingSort; limit: number; after?: readonly string[] | undefined },
): Promise<ListingResults> {
  const terms = searchTerms(filter.q ?? '');
  const exact = await readPage(db, { filter, terms, match: exactly, ...page });
  if (exact.total > 0 || terms.near.length === 0) return { ...exact, isNear: false };
  const near = await readPage(db, { filter, terms, match: nearly, ...page });
  return { ...near, isNear: near.total > 0 };
}

interface Search {
  filter: ListingFilter;
  terms: SearchTerms;
  match: (terms: SearchTerms, param: Param) => Matching | undefined;
  sort: ListingSort;
  limit: number;
  after?: readonly string[] | undefined;
}

async function readPage(db: Db, { filter, terms, match, sort, limit, after }: Search) {
  const values: unknown[] = [];
  const param: Param = (value) => `$${values.push(value)}`;
  const matching = match(terms, param);
  const key = sort === 'relevance' && matching ? matching.rank : SORT_KEYS[sort];
  const conditions = [
    ...(matching ? [matching.found] : []),
    ...excluding(terms, param),
    ...filtersOf(filter, param),
  ];
  const behind = after
    ? `WHERE (sort_key, agent_id) < (${param(after[0])}::bigint, ${param(after[1])}::text)`
    : '';
  const found = await db.query<Partial<RawListing> & { total: string }>(
    `WITH found AS MATERIALIZED (
       SELECT a.agent_id, (${key})::bigint AS sort_key FROM ${SOURCES} WHERE a.listed AND a.status = 'active'
         ${conditions.map((condition) => `AND ${condition}`).join('\n')}
     ), page AS (
       SELECT ${RECORD}, found.sort_key
         FROM (SELECT * FROM found ${behind} ORDER BY sort_key DESC, agent_id DESC LIMIT ${param(limit)}) found
         JOIN agents a USING (agent_id) JOIN agent_versions v ON v.version_id = a.serving_version_id
         JOIN users u ON u.user_id = a.developer_user_id LEFT JOIN agent_stats s ON s.agent_id = a.agent_id
     )
     SELECT matches.total, page.* FROM (SELECT count(*) AS total FROM found) matches LEFT JOIN page ON true
      ORDER BY page.sort_key DESC, page.agent_id DESC`,
    values,
  );
  const rows = found.rows.filter(
    (row): row is RawListing & { total: string } => typeof row.agent_id === 'string',
  );
  return { rows: rows.map(toListing), total: Number(found.rows[0]?.total ?? 0) };
}

/**
 * The words in any English form, or as they are; or all parts anywhere, with the short words as whole ones; or parts in
 * the name or the id of the developer and the others in the texts; or the agent that the query names. Indexes find the
 * candidates of each. Whole words count more than parts of words, and a part in the name more than elsewhere.
 */
function exactly(terms: SearchTerms, param: Param): Matching | undefined {
  if (terms.wanted === null) return undefined;
  const wanted = param(terms.wanted);
  const english = `websearch_to_tsquery('english', ${wanted})`;
  const simple = `websearch_to_tsquery('simple', ${wanted})`;
  const whole = `ts_rank_cd(v.search, ${english}) + ts_rank_cd(v.search_words, ${simple})`;
  const byWords = `w.search @@ ${english} OR w.search_words @@ ${simple}`;
  const byId =
    terms.agentId === null
      ? []
      : [`SELECT serving_version_id FROM agents WHERE agent_id = ${param(terms.agentId)}`];
  if (terms.parts.length === 0)
    return {
      found: among([`SELECT w.version_id FROM agent_versions w WHERE ${byWords}`, ...byId]),
      rank: rankOf(whole),
    };
  const parts = `${param(terms.parts)}::text[]`;
  const words = param(terms.words);
  const inText = (part: string) => `strpos(w.search_text, ${part}) > 0`;
  const byParts = `w.search_grams @> ${param(gramsOf(terms.parts))}::text[]
    AND NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE NOT ${inText('part')})
    AND (${words} = '' OR w.search_words @@ plainto_tsquery('simple', ${words}))`;
  const inDeveloper = (part: string) => `strpos(d.text, ${part}) > 0`;
  const byDeveloper = ofDevelopers(
    DEVELOPER_TEXT,
    `SELECT token FROM unnest(${parts} || string_to_array(nullif(${words}, ''), ' ')) token`,
    `text_grams(${DEVELOPER}) @> text_grams(token) AND strpos(${DEVELOPER}, token) > 0`,
    `NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE NOT (${inText('part')} OR ${inDeveloper('part')}))
      AND (${words} = '' OR (w.search_words || to_tsvector('simple', d.text)) @@ plainto_tsquery('simple', ${words}))`,
  );
  const isPartOfName = `NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE strpos(${NAME}, part) = 0)`;
  return {
    found: among([
      `SELECT w.version_id FROM agent_versions w WHERE ${byWords} OR (${byParts})`,
      byDeveloper,
      ...byId,
    ]),
    rank: rankOf(`${whole} + CASE WHEN ${isPartOfName} THEN ${PART_OF_NAME} ELSE 0 END`),
  };
}

/**
 * Words of the texts or of the developer that are nearly those of the query, and the other parts as they are. Only the
 * index compares long texts, because `near_words` takes milliseconds for one.
 */
function nearly(terms: SearchTerms, param: Param): Matching {
  const near = terms.near.map((word) => param(word));
  const others = terms.exact.map((part) => param(part));
  const textsWith = (condition: string) => `SELECT n.version_id FROM agent_versions n WHERE ${condition}`;
  const nearText = (word: string) => textsWith(`near_words(n.search_text) && near_words(${word})`);
  const textHas = (word: string) =>
    textsWith(`${gramsHave('n.search_grams', word)} AND strpos(n.search_text, ${word}) > 0`);
  const ofWords = near.map((word) => `(${nearText(word)} UNION ALL ${textHas(word)})`);
  const inText = [
    `w.version_id IN (${ofWords.join(' INTERSECT ')})`,
    ...others.map((part) => `(${gramsHave('w.search_grams', part)} AND strpos(w.search_text, ${part}) > 0)`),
    ...(terms.words === '' ? [] : [`w.search_words @@ plainto_tsquery('simple', ${param(terms.words)})`]),
  ].join(' AND ');
  const inEither = [
    ...near.map(
      (word) =>
        `(d.near && near_words(${word}) OR strpos(d.text || w.search_text, ${word}) > 0 OR w.version_id IN (${nearText(word)}))`,
    ),
    ...others.map((part) => `strpos(d.text || w.search_text, ${part}) > 0`),
    ...(terms.words === ''
      ? []
      : [
          `(w.search_words || to_tsvector('simple', d.text)) @@ plainto_tsquery('simple', ${param(terms.words)})`,
        ]),
  ].join(' AND ');
  const byDeveloper = ofDevelopers(
    `${DEVELOPER_TEXT}, near_words(${DEVELOPER}) AS near`,
    `SELECT token FROM unnest(ARRAY[${near.join(', ')}]) token`,
    `near_words(${DEVELOPER}) && near_words(token)`,
    inEither,
  );
  const isInName = near.map((word) => `near_words(${NAME}) && near_words(${word})`).join(' AND ');
  return {
    found: among([`SELECT w.version_id FROM agent_versions w WHERE ${inText}`, byDeveloper]),
    rank: rankOf(`CASE WHEN ${isInName} THEN ${PART_OF_NAME} ELSE 0 END`),
  };
}

const NAME = "search_text(v.display_name, '', '{}', '')";
const DEVELOPER = 'developer_text(u.display_name, u.developer_id)';
const DEVELOPER_TEXT = `${DEVELOPER} AS text`;
const gramsHave = (grams: string, text: string) => `${grams} @> text_grams(${text})`;

/** Ranks are deterministic, so they can be parts of cursors. The factor keeps them distinguishable. */
const rankOf = (text: string) => `greatest(${text}, ${PART}) * ${PROVED} * (0.5 + ${TRUST} / 2) * 1000000000`;

const among = (versions: readonly string[]) => `v.version_id IN (${versions.join('\nUNION ALL ')})`;

/** The serving versions of developers whose name or id has one of the tokens, as far as `condition` holds. */
function ofDevelopers(columns: string, tokens: string, has: string, condition: string): string {
  return `SELECT w.version_id
      FROM (SELECT DISTINCT d.* FROM (${tokens}) tokens CROSS JOIN LATERAL (
              SELECT u.user_id, ${columns} FROM users u
               WHERE u.developer_id IS NOT NULL AND ${has} LIMIT ${MOST_DEVELOPERS}) d) d
      JOIN agents o ON o.developer_user_id = d.user_id JOIN agent_versions w ON w.version_id = o.serving_version_id
     WHERE ${condition}`;
}

/** The conditions that excluded words set. */
function excluding({ excluded }: SearchTerms, param: Param): string[] {
  if (excluded === null) return [];
  const words = param(excluded);
  return [
    `NOT (v.search @@ websearch_to_tsquery('english', ${words}) OR v.search_words @@ websearch_to_tsquery('simple', ${words}))`,
  ];
}

function filtersOf(filter: ListingFilter, param: Param): string[] {
  const conditions: (string | false)[] = [
    filter.category !== undefined && `v.category = ${param(filter.category)}`,
    filter.tags !== undefined && filter.tags.length > 0 && `v.tags @> ${param(filter.tags)}::text[]`,
    filter.badge !== undefined && `a.badge = ${param(filter.badge)}`,
    filter.minTrustScore !== undefined && `coalesce(a.trust_score, 0) >= ${param(filter.minTrustScore)}`,
    filter.maxPriceUnits !== undefined && `v.price_units <= ${param(filter.maxPriceUnits)}`,
    filter.pricingModel !== undefined && `v.pricing_model = ${param(filter.pricingModel)}`,
    filter.protocol !== undefined && `(a.kind = 'mcp') = ${filter.protocol === 'mcp'}`,
    filter.developerId !== undefined &&
      `a.developer_user_id = (SELECT user_id FROM users WHERE developer_id = ${param(filter.developerId)})`,
  ];
  return conditions.filter((condition) => condition !== false);
}

/** The pairs of characters of each text, or its only character, as `text_grams` has them. */
function gramsOf(parts: readonly string[]): string[] {
  const grams = parts.flatMap((part) => {
    const letters = [...part];
    return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  });
  return [...new Set(grams)];
}
