/** Agents that have all words of a query, exactly or nearly, as conditions and ranks of SQL. */
import type { SearchTerms } from '../../../domain/catalogue/search/search-terms';
import { PROVED, TRUST, type Param } from './listing-order';

/** Which agents a query finds, and how well the texts of each answer it, as SQL over `agents a`, `agent_versions v`. */
export interface Matching {
  found: string;
  rank: string;
}

/** Developers with one of the words whose agents are compared, at most. */
const MOST_DEVELOPERS = 200;
/** Texts with misspelt words that are compared with the other parts, at most. */
const MOST_COMPARED = 2_000;
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
  const english = `websearch_to_tsquery('english', ${wanted})`;
  const simple = `websearch_to_tsquery('simple', ${wanted})`;
  const whole = `ts_rank_cd(v.search, ${english}) + ts_rank_cd(v.search_words, ${simple})`;
  const byWords = `w.search @@ ${english} OR w.search_words @@ ${simple}`;
  const byId =
    terms.agentId === null
      ? []
      : [`SELECT serving_version_id FROM agents WHERE agent_id = ${param(terms.agentId)}`];
  if (terms.parts.length === 0 || terms.parts.length > MOST_PARTS)
    return {
      found: among([`SELECT w.version_id FROM agent_versions w WHERE ${byWords}`, ...byId]),
      rank: rankOf(whole),
    };
  const parts = `${param(terms.parts)}::text[]`;
  const words = param(terms.words);
  const inText = (part: string) => `has_part(w.search_text, ${part})`;
  const byParts = `w.search_grams @> ${param(gramsOf(terms.parts))}::text[]
    AND NOT EXISTS (SELECT FROM unnest(${parts}) part WHERE NOT ${inText('part')})
    AND (${words} = '' OR w.search_words @@ plainto_tsquery('simple', ${words}))`;
  const inDeveloper = (part: string) => `strpos(d.text, ${part}) > 0`;
  const byDeveloper = ofDevelopers(
    DEVELOPER_TEXT,
    // A short word is in the id of every developer.
    `SELECT token FROM unnest(${parts}) token`,
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
 * Words of the texts or of the developer that are nearly those of the query, or these, and the other parts as they are.
 * Only the index compares long texts, because `near_words` takes milliseconds for one.
 */
export function nearly(terms: SearchTerms, param: Param): Matching {
  const near = terms.near.map((word) => param(word));
  const others = terms.exact.map((part) => param(part));
  const textsWith = (condition: string) => `SELECT n.version_id FROM agent_versions n WHERE ${condition}`;
  const nearText = (word: string) => textsWith(`near_words(n.search_text) && near_words(${word})`);
  const nearAll = near.map((word) => `near_words(n.search_text) && near_words(${word})`).join(' AND ');
  const inText = [
    `w.version_id = ANY (ARRAY(${textsWith(nearAll)} LIMIT ${MOST_COMPARED}))`,
    ...others.map((part) => `has_part(w.search_text, ${part})`),
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

/** Ranks are deterministic, so they can be parts of cursors. The factor keeps them distinguishable. */
const rankOf = (text: string) => `greatest(${text}, ${PART}) * ${PROVED} * (0.5 + ${TRUST} / 2) * 1000000000`;

/** An array, since the planner takes each of these sets for half of the agents, and would then read all of them. */
const among = (versions: readonly string[]) => `v.version_id = ANY (ARRAY(${versions.join('\nUNION ALL ')}))`;

/** The serving versions of developers whose name or id has one of the tokens, as far as `condition` holds. */
function ofDevelopers(columns: string, tokens: string, has: string, condition: string): string {
  return `SELECT w.version_id
      FROM (SELECT DISTINCT d.* FROM (${tokens}) tokens CROSS JOIN LATERAL (
              SELECT u.user_id, ${columns} FROM users u
               WHERE u.developer_id IS NOT NULL AND ${has} LIMIT ${MOST_DEVELOPERS}) d) d
     CROSS JOIN LATERAL (SELECT n.version_id, n.search_text, n.search_words FROM agents o
              JOIN agent_versions n ON n.version_id = o.serving_version_id
             WHERE o.developer_user_id = d.user_id OFFSET 0) w
     WHERE ${condition}`;
}

/** The pairs of characters of each text, or its only character, as `text_grams` has them. */
function gramsOf(parts: readonly string[]): string[] {
  const grams = parts.flatMap((part) => {
    const letters = [...part];
    return letters.length === 1 ? letters : letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
  });
  return [...new Set(grams)];
}
