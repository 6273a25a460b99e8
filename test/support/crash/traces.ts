/** Reads all rows, files and histories of a stack, for tests that a secret is in none of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as TemporalClient } from '@temporalio/client';
import { withClient } from '../../../src/runtime/postgres/database';
import type { ProcessStack } from '../stack/process-stack';
import { realTime } from '../waits';

/** The word, its hexadecimal form, and its base64 forms at each of the three alignments. */
function formsOf(word: string): Buffer[] {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.from('x'.repeat(shift) + word).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  const hex = Buffer.from(word).toString('hex');
  return [word, hex, hex.toUpperCase(), ...base64].map((form) => Buffer.from(form));
}

const holds = (bytes: Buffer, word: string) => formsOf(word).some((form) => bytes.includes(form));

/** Every row of every table as text; binary columns are in hexadecimal there. */
export async function dumpTables(stack: ProcessStack): Promise<Map<string, Buffer>> {
  const { rows: tables } = await stack.owner.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const dump = new Map<string, Buffer>();
  for (const { name } of tables) {
    const { rows } = await stack.owner.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    dump.set(`table ${name}`, Buffer.from(rows.map(({ row }) => row).join('\n')));
  }
  return dump;
}

/** Every file below a folder, without files that Postgres removes meanwhile. */
export function readFiles(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    try {
      if (statSync(path).isFile()) files.set(path, readFileSync(path));
    } catch {
      continue;
    }
  }
  return files;
}

/** The folder of Postgres, after a checkpoint, so that all changes are in its files. */
export async function postgresFolder(stack: ProcessStack): Promise<string> {
  return withClient(stack.postgres.superuserUrl('postgres'), async (client) => {
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory ?? '';
  });
}

function readable(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(readable).join('\n');
}

/** Temporal's lists are a second behind (docs/internals/temporal.md#settings-of-the-server). */
export const LISTS_LATE_MS = 2_000;

export async function dumpHistories(client: TemporalClient): Promise<Map<string, Buffer>> {
  const histories = new Map<string, Buffer>();
  await realTime(LISTS_LATE_MS, 'lists are late');
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    histories.set(`history ${workflowId}`, Buffer.from(readable(history)));
  }
  return histories;
}

/** The names of the places where a word can be read, in any of its forms. */
export function placesOf(everything: Map<string, Buffer>, word: string): string[] {
  return [...everything].filter(([, bytes]) => holds(bytes, word)).map(([place]) => place);
}
