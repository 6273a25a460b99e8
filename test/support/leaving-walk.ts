/** Looks for words in everything that a market stores or shows: what is left of a deleted account. */
import { SEALED_PLACES } from '../../src/services/operations/sealed-places';
import { readSealedHeads, readSealedValue } from '../../src/stores/operations/sealed-values';
import type { TestMarket } from './market';

/** Where the words are, as `<table>.<column>` or a sentence; empty if they are nowhere. */
export async function placesOf(market: TestMarket, words: readonly string[]): Promise<string[]> {
  return [
    ...(await inTables(market, words)),
    ...(await inSealedValues(market, words)),
    ...(await inWorkflows(market, words)),
    ...(await inMetrics(market, words)),
  ];
}

const has = (text: string, words: readonly string[]) => {
  const lower = text.toLowerCase();
  return words.some((word) => lower.includes(word));
};

/** Every column of every table, whatever its type: a new column is found without being named here. */
async function inTables({ owner }: TestMarket, words: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ schema: string; name: string; column: string; type: string }>(
    `SELECT c.table_schema AS schema, c.table_name AS name, c.column_name AS column, c.data_type AS type
       FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const places: string[] = [];
  for (const { schema, name, column, type } of rows) {
    const value = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const found = await owner.query(
      `SELECT FROM "${schema}"."${name}" WHERE lower(${value}) LIKE ANY ($1) LIMIT 1`,
      [words.map((word) => `%${word}%`)],
    );
    if (found.rowCount) places.push(`${schema}.${name}.${column}`);
  }
  return places;
}

/** What sealed values contain, but for the records that the law requires. */
async function inSealedValues({ container, owner }: TestMarket, words: readonly string[]): Promise<string[]> {
  const places: string[] = [];
  for (const place of SEALED_PLACES.filter(({ table }) => table !== 'retained_records')) {
    for (const head of await readSealedHeads(owner, place, { afterId: '', limit: 1_000 })) {
      const whole = await readSealedValue(owner, place, head.id);
      const opened =
        whole && (await container.cipher.unseal(whole.sealed, place.context(whole)).catch(() => ''));
      if (opened && has(opened.toString(), words)) places.push(`sealed ${place.table}.${place.column}`);
    }
  }
  return places;
}

/** Histories, memos, details and search attributes of the workflows on the queues of this market. */
async function inWorkflows({ engine, temporal }: TestMarket, words: readonly string[]): Promise<string[]> {
  const client = engine.link.client();
  if (!client) throw new Error('the engine is away');
  const places: string[] = [];
  const query = `TaskQueue STARTS_WITH "${temporal.taskQueuePrefix}"`;
  for await (const found of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(found.workflowId, found.runId);
    const parts = [found.raw, await handle.fetchHistory()];
    if (parts.some((part) => has(textOf(part), words))) places.push(`workflow ${found.type}`);
  }
  return places;
}

/** All texts in a message of Temporal, payloads decoded. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, part]) => `${key}\n${textOf(part)}`)
      .join('\n');
  return String(value);
}

async function inMetrics({ container }: TestMarket, words: readonly string[]): Promise<string[]> {
  return has(await container.metrics.text(), words) ? ['metrics'] : [];
}

/** The lines that the processes of a test log from now on. They are no longer written to the output. */
export function readLogs(): { text: () => string; stop: () => void } {
  const lines: string[] = [];
  const { stdout } = process;
  const before = stdout.write.bind(stdout);
  // The logger writes by the stream as soon as the stream is not the original one.
  stdout.write = (data: string | Uint8Array, ...rest: never[]) => {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString();
    if (!text.startsWith('{"level"')) return before(data, ...rest);
    lines.push(text);
    return true;
  };
  return { text: () => lines.join(''), stop: () => void (stdout.write = before) };
}
