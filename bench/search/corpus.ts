/** The agents and queries of the bench (README.md), and a market that has them, or many more that are made of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';

export interface CorpusAgent {
  slug: string;
  display_name: string;
  description: string;
  tags: string[];
  tools: string[];
  properties: string[];
}

export interface CorpusQuery {
  query: string;
  language: string;
  kind: string;
  /** Slugs of the agents that answer it. */
  right: string[];
}

const read = <T>(name: string) => JSON.parse(readFileSync(join(__dirname, name), 'utf8')) as T;
export const readAgents = () => read<CorpusAgent[]>('agents.json');
export const readQueries = () => read<CorpusQuery[]>('queries.json');

const BATCH = 1_000;

/** Inserts agents that are live and listed, from the first that is missing on. */
export async function putAgents(
  client: Client,
  agents: readonly CorpusAgent[],
  first: number,
): Promise<void> {
  for (let from = first; from < agents.length; from += BATCH) {
    const rows = agents.slice(from, from + BATCH).map((agent, at) => rowOf(agent, from + at));
    await client.query('BEGIN');
    for (const statement of STATEMENTS) await client.query(statement, [JSON.stringify(rows)]);
    await client.query('COMMIT');
  }
  await client.query(`SELECT search_terms_count('0')`);
  await client.query('VACUUM ANALYZE');
}

const AGENTS_OF_DEVELOPER = 4;
const NAMES = [
  'Blue',
  'North',
  'Open',
  'Bright',
  'Silver',
  'Quiet',
  'Rapid',
  'Green',
  'Clear',
  'Old',
  'Nova',
];
const TRADES = [
  'Labs',
  'Studio',
  'Software',
  'Agents',
  'Works',
  'Data',
  'Systems',
  'GmbH',
  'SARL',
  'Digital',
];

function developerOf(n: number) {
  const name = `${NAMES[n % NAMES.length]} ${TRADES[n % TRADES.length]} ${n}`;
  return {
    user_id: `usr_${n.toString(16).padStart(32, '0')}`,
    developer: name,
    developer_id: `dev_${name.toLowerCase().replaceAll(' ', '-')}`,
  };
}

function rowOf(agent: CorpusAgent, at: number) {
  const { slug, display_name, description, tags, tools, properties } = agent;
  const inputs = properties.map((text, nth) => [`field_${nth}`, { type: 'string', description: text }]);
  return {
    ...developerOf(Math.floor(at / AGENTS_OF_DEVELOPER)),
    version_id: `agv_${at.toString(16).padStart(32, '0')}`,
    agent_id: `agt_${slug.replaceAll('-', '_')}_v1`,
    slug,
    display_name,
    description,
    tags,
    manifest: JSON.stringify({
      input_schema: { type: 'object', properties: Object.fromEntries(inputs) as Record<string, unknown> },
      examples: tools.map((tool) => ({ input: { tool, arguments: {} } })),
    }),
  };
}

const ROWS = `jsonb_to_recordset($1::jsonb) AS r (version_id text, agent_id text, slug text, display_name text,
  description text, tags text[], manifest text, user_id text, developer text, developer_id text)`;
const STATEMENTS = [
  `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
    SELECT DISTINCT user_id, user_id || '@bench.test', 'x', developer, 'developer', developer_id FROM ${ROWS}
    ON CONFLICT DO NOTHING`,
  `INSERT INTO slugs (slug, developer_user_id) SELECT slug, user_id FROM ${ROWS}`,
  `INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret, listed)
    SELECT agent_id, slug, 1, user_id, 'manifest', 'x', true FROM ${ROWS}`,
  `INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest, manifest_sha256,
      public_part, endpoint_url, display_name, description, category, tags, pricing_model, price_units, timeout_ms,
      max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable, fee_percent, live_at)
    SELECT version_id, agent_id, slug, '1.0.0', 1, 0, 0, 'live', manifest, 'x', '{}', 'https://agent.bench.test',
      display_name, description, 'other', tags, 'per_call', 100, 30000, 100000, 30, false, false, false, 3, now() FROM ${ROWS}`,
  `UPDATE agents a SET serving_version_id = r.version_id, live_at = now() FROM ${ROWS} WHERE a.agent_id = r.agent_id`,
];

/**
 * The agents and as many others as are missing. Each of these has the name of one, tags and tools of another, and
 * sentences of further ones, with a few words that no other has.
 */
export function multiplied(agents: readonly CorpusAgent[], count: number): CorpusAgent[] {
  const at = (n: number) => agents[n % agents.length] as CorpusAgent;
  const more = Array.from({ length: Math.max(0, count - agents.length) }, (_, index) => {
    const n = index + 7;
    const [one, two, three] = [at(n * 31), at(n * 57 + 11), at(n * 101 + 5)];
    const own = `${(n * 7_919).toString(36)}ly ${(n * 104_729).toString(36)}er`;
    return {
      slug: `${one.slug.slice(0, 50)}-${n.toString(36)}`,
      display_name: `${one.display_name} ${(n * 15_485_863).toString(36)}`,
      description: `${two.description} ${own} ${three.description}`,
      tags: one.tags.slice(0, 3).concat(two.tags.slice(0, 1)),
      tools: one.tools,
      properties: three.properties,
    };
  });
  return [...agents, ...more].slice(0, count);
}
