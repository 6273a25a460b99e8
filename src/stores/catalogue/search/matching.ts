/** Agents that have all words of a query, exactly or nearly, as conditions and ranks of SQL. */
import type { SearchTerms } from '../../../domain/catalogue/search/search-terms';
import { PROVED, TRUST, type Param } from './listing-order';

/** Which agents a query finds, and how well the texts of each answer it, as SQL over `agents a`, `agent_versions v`. */
export interface Matching {
  found: string;
  rank: string;
  /** Of the statement without filters; undefined if it has a text of its own. */
  name?: string | undefined;
  /** Holds for agents whose rank counts twice. It is slow, so only the best are asked. */
  twice?: string;
}

/** Developers with one of the words whose agents are compared, at most. */
const MOST_DEVELOPERS = 200;
/** Texts with misspelt words that are compared with the other parts, and texts of other developers' words, at most. */
const MOST_COMPARED = 500;
const MOST_OF_WORD = 500;
/**
 * Parts of words are looked for in queries of up to this many; the pairs of characters of a sentence are in too many
 * texts.
 */
const MOST_PARTS = 3;
/** The weight of a text that has the words only inside of longer ones, or in the developer's name. */
const PART = 0.05;
const PART_OF_NAME = 0.1;

/**
 * The words in any English form, or as they are; or all parts of a short query anywhere, with the short words as whole
 * ones; or parts in the name or the id of the developer and the others in the texts; or the agent that the query names.
 * Indexes find the candidates of each. Whole words count more than parts of words, and a part in the name more than
 * elsewhere.
 */
export function exactly(terms: SearchTerms, param: Param): Matching | undefined {
  if (terms.wanted === null) return undefined;
  const wanted = param(terms.wanted);
  const english = once(`websearch_to_tsquery('english', ${wanted})`);
  const simple = once(`websearch_to_tsquery('simple', ${wanted})`);
  const whole = `ts_rank_cd(v.search, ${english}) + ts_rank_cd(v.search_words, ${simple})`;
  const byWords = `w.search @@ ${english} OR w.search_words @@ ${simple}`;
  const hasOwnText = terms.agentId !== null || terms.excluded !== null;
  const byId =
    terms.agentId === null
      ? []
      : [`SELECT serving_version_id FROM agents WHERE agent_id = ${param(terms.agentId)}`];
  if (terms.parts.length === 0 || terms.parts.length > MOST_PARTS)
    return {
      found: among([`SELECT w.version_id FROM agent_versions w WHERE ${byWords}`, ...byId]),
      rank: rankOf(whole),
      name: hasOwnText ? undefined : 'all-words',
    };
  const parts = once(`${param(terms.parts)}::text[]`);
  const words = shortWords(terms, param);
  const inText = (part: string) => `has_part(w.search_text, ${part})`;
  const hasParts = `NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE NOT ${inText('part')})
    AND NOT EXISTS (SELECT FROM unnest(${words}) word WHERE w.search_text !~ word)`;
  const inDeveloper = (part: string) => `strpos(d.text, ${part}) > 0`;
  const byDeveloper = ofDevelopers(
    // A short word is in the id of every developer.
    `SELECT token FROM unnest(${parts}) token`,
    `text_grams(${DEVELOPER}) @> ${pairsOf('token')} AND strpos(${DEVELOPER}, token) > 0`,
    `NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE NOT (${inText('part')} OR ${inDeveloper('part')}))
      AND NOT EXISTS (SELECT FROM unnest(${words}) word WHERE d.text || E'\\n' || w.search_text !~ word)`,
  );
  const isPartOfName = `NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE strpos(${NAME}, part) = 0)`;
  return {
    found: among(
      [
        `SELECT w.version_id FROM agent_versions w WHERE ${byWords}`,
        // Apart from the words: a condition that joins both is compared with each text again.
        `SELECT w.version_id FROM agent_search t JOIN agent_versions w USING (version_id)
        WHERE t.terms @@ (SELECT query FROM parts) AND ${hasParts}`,
        // Where the words of agents do not say (ADR 0248).
        `SELECT w.version_id FROM agent_versions w WHERE (SELECT query FROM parts) IS NULL
          AND w.search_grams @> ${once(`${param(gramsOf(terms.parts))}::text[]`)} AND ${hasParts}`,
        byDeveloper,
        ...byId,
      ],
      `WITH parts AS MATERIALIZED (SELECT parts_query(${parts}) AS query) `,
    ),
    rank: rankOf(`${whole} + CASE WHEN ${isPartOfName} THEN ${PART_OF_NAME} ELSE 0 END`),
    name: hasOwnText ? undefined : 'all-parts',
  };
}

/**
 * Words of the texts or of the developer that are nearly those of the query, or these, and the other parts as they are.
 * Only words are compared, not texts, because `near_words` takes milliseconds for a long one (ADR 0248).
 */
export function nearly(terms: SearchTerms, param: Param): Matching {
  const near = terms.near.map((word) => once(`${param(word)}::text`));
  const others = terms.exact.map((part) => once(`${param(part)}::text`));
  const words = shortWords(terms, param);
  const versionsOf = (query: string, most: number) =>
    `SELECT n.version_id FROM agent_search n WHERE n.listed AND n.terms @@ ${once(query)} LIMIT ${most}`;
  const nearAll = near.map((word) => `near_query(${word})`).join(' && ');
  const inText = [
    `w.version_id = ANY (ARRAY(${versionsOf(nearAll, MOST_COMPARED)}))`,
    ...others.map((part) => `has_part(w.search_text, ${part})`),
    `NOT EXISTS (SELECT FROM unnest(${words}) word WHERE w.search_text !~ word)`,
  ].join(' AND ');
  const inEither = [
    ...near.map(
      (word) =>
        `(${word} = ANY (d.tokens) OR strpos(d.text || w.search_text, ${word}) > 0 OR w.version_id IN (${versionsOf(`near_query(${word})`, MOST_OF_WORD)}))`,
    ),
    ...others.map((part) => `strpos(d.text || w.search_text, ${part}) > 0`),
    `NOT EXISTS (SELECT FROM unnest(${words}) word WHERE d.text || E'\\n' || w.search_text !~ word)`,
  ].join(' AND ');
  const byDeveloper = ofDevelopers(
    `SELECT token FROM unnest(ARRAY[${near.join(', ')}]) token`,
    `near_words(${DEVELOPER}) && near_words(token)`,
    inEither,
  );
  const isInName = near.map((word) => `near_words(${NAME}) && ${once(`near_words(${word})`)}`).join(' AND ');
  return {
    found: among([`SELECT w.version_id FROM agent_versions w WHERE ${inText}`, byDeveloper]),
    rank: rankOf('0'),
    name: terms.excluded === null ? `near-${near.length}-${others.length}` : undefined,
    twice: isInName,
  };
}

/**
 * A value that the plan of a statement cannot depend on. Postgres keeps a plan for all words only if none for those at
 * hand looks cheaper, and planning takes longer than the search.
 */
const once = (value: string) => `(SELECT ${value})`;

const NAME = "search_text(v.display_name, '', '{}', '')";
const DEVELOPER = 'developer_text(u.display_name, u.developer_id)';

/** Ranks are deterministic, so they can be parts of cursors. The factor keeps them distinguishable. */
const rankOf = (text: string) => `greatest(${text}, ${PART}) * ${PROVED} * (0.5 + ${TRUST} / 2) * 1000000000`;

/** An array, since the planner takes each of these sets for half of the agents, and would then read all of them. */
const among = (versions: readonly string[], before = '') =>
  `v.version_id = ANY (ARRAY(${before}${versions.join('\nUNION ALL ')}))`;

/** The serving versions of developers whose name or id has one of the tokens, as far as `condition` holds. */
function ofDevelopers(tokens: string, has: string, condition: string): string {
  return `SELECT w.version_id
      FROM (SELECT d.user_id, d.text, array_agg(token) AS tokens FROM (${tokens}) tokens CROSS JOIN LATERAL (
              SELECT u.user_id, ${DEVELOPER} AS text FROM users u
               WHERE u.developer_id IS NOT NULL AND ${has} LIMIT ${MOST_DEVELOPERS}) d GROUP BY d.user_id, d.text) d
     CROSS JOIN LATERAL (SELECT n.version_id, n.search_text FROM agents o
              JOIN agent_versions n ON n.version_id = o.serving_version_id
             WHERE o.developer_user_id = d.user_id OFFSET 0) w
     WHERE ${condition}`;
}

/**
 * Patterns of the short words, which must occur as whole ones. The vectors of words are stored apart from long texts,
 * and to read one takes longer than to compare the text.
 */
function shortWords({ words }: SearchTerms, param: Param): string {
  const patterns = words.split(' ').filter((word) => word !== '');
  return once(`${param(patterns.map((word) => `(^|[^a-z0-9])${word}($|[^a-z0-9])`))}::text[]`);
}

/** An index reads the rows of each pair, so of more pairs than this every second one is left out. */
const MOST_PAIRS = 8;

/**
 * Pairs of characters that cover each text, or its only character, as `text_grams` has them. An index finds the texts
 * that have all of them, and the texts themselves are compared afterwards.
 */
function gramsOf(parts: readonly string[]): string[] {
  const pairs = parts.map((part) => {
    const letters = [...part];
    return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  });
  const isLong = pairs.flat().length > MOST_PAIRS;
  const covers = (at: number, { length }: readonly string[]) => !isLong || at % 2 === 0 || at === length - 1;
  return [...new Set(pairs.flatMap((grams) => grams.filter((_gram, at) => covers(at, grams))))];
}

/** The pairs of characters of a text in SQL. Its single characters are in nearly all texts, and slow to look up. */
const pairsOf = (text: string) =>
  `ARRAY(SELECT gram FROM unnest(text_grams(${text})) gram WHERE length(gram) > 1 OR length(${text}) = 1)`;
