/** The archive of an export: every list as JSON and as CSV, the uploaded bundles, and a README (ADR 0387). */
import type { Cipher } from '../../kit/crypto/cipher';
import { writeZip, type ZipSource } from '../../kit/archives/zip-writer';
import { EXPORTED_BUNDLES, ONE_BUNDLE } from '../../stores/leaving/exported-agents';
import type { ExportedList } from '../../stores/leaving/exported-list';
import { EXPORTED_LISTS } from '../../stores/leaving/exported-lists';
import type { Snapshot } from '../../stores/leaving/snapshot';
import { csvFile, jsonFile, openRow } from './export-rows';

const PAGE = 1_000;
const PAGE_OF_LARGE = 20;

export interface ArchiveOf {
  userId: string;
  exportId: string;
  /** The public address of the service. */
  origin: string;
}

/** The bytes of the archive of one snapshot, and the number of rows in it once they are read. */
export function exportArchive(cipher: Cipher, snapshot: Snapshot, of: ArchiveOf) {
  const counts = new Map<string, number>();
  const bytes = writeZip(sourcesOf(cipher, snapshot, of, counts), snapshot.at);
  return { bytes, rows: () => [...counts.values()].reduce((sum, count) => sum + count, 0) };
}

async function* sourcesOf(
  cipher: Cipher,
  snapshot: Snapshot,
  of: ArchiveOf,
  counts: Map<string, number>,
): AsyncGenerator<ZipSource> {
  for (const list of EXPORTED_LISTS) {
    const lines = () => linesOf(cipher, snapshot, list, of.userId);
    yield { name: `json/${list.name}.json`, content: () => jsonFile(counted(lines(), list.name, counts)) };
    // The snapshot is the same, so the second reading finds the same rows.
    if (counts.get(list.name)) yield { name: `csv/${list.name}.csv`, content: () => csvFile(lines()) };
  }
  yield* bundlesOf(snapshot, of.userId);
  yield { name: 'README.txt', content: () => once(readme(of, snapshot.at, counts)) };
}

async function* linesOf(
  cipher: Cipher,
  snapshot: Snapshot,
  { sql, sealed, large }: ExportedList,
  userId: string,
): AsyncGenerator<string> {
  const lines = snapshot.lines(sql, [userId], large ? PAGE_OF_LARGE : PAGE);
  if (!sealed) {
    yield* lines;
    return;
  }
  for await (const line of lines)
    yield JSON.stringify(await openRow(cipher, sealed, JSON.parse(line) as Record<string, unknown>));
}

async function* counted(lines: AsyncIterable<string>, name: string, counts: Map<string, number>) {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    yield line;
  }
  counts.set(name, count);
}

async function* bundlesOf(snapshot: Snapshot, userId: string): AsyncGenerator<ZipSource> {
  for await (const line of snapshot.lines(EXPORTED_BUNDLES, [userId], PAGE)) {
    const found = JSON.parse(line) as { version_id: string; agent_id: string; version: string };
    const name = `bundles/${found.agent_id}/${found.version}-${found.version_id}.bundle`;
    yield { name, content: () => bundleOf(snapshot, found.version_id) };
  }
}

async function* bundleOf(snapshot: Snapshot, versionId: string): AsyncGenerator<Buffer> {
  for await (const line of snapshot.lines(ONE_BUNDLE, [versionId], 1))
    yield Buffer.from((JSON.parse(line) as { bundle: string }).bundle, 'base64');
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function readme(
  { userId, exportId, origin }: ArchiveOf,
  at: Date,
  counts: ReadonlyMap<string, number>,
): string {
  const width = Math.max(...EXPORTED_LISTS.map(({ name }) => name.length));
  return [
    `Export ${exportId} of the account ${userId} at ${origin}`,
    '',
    `Everything in this archive is as it was at ${at.toISOString()}: all files are of one snapshot of the database.`,
    '',
    'json/ has a file for each list: an array with a row in each line.',
    'csv/ has the lists with at least one row as tables for spreadsheets. A text that a spreadsheet would take for a',
    'formula begins with an apostrophe there. Values that are no text or number are JSON.',
    'bundles/ has the bundles of the published versions as they were uploaded.',
    '',
    'Times are UTC. Credits have two decimals. Secrets (passwords, keys, secrets of webhooks and agents) are not in the',
    'archive: the service keeps only hashes or sealed values of them.',
    '',
    ...EXPORTED_LISTS.map(
      ({ name, about }) =>
        `${name.padEnd(width)}  ${String(counts.get(name) ?? 0).padStart(9)} rows  ${about}`,
    ),
    '',
  ].join('\n');
}
