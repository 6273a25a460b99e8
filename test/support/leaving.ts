/** Exports and deletions of accounts, as their owners request them. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { readZip } from '../../src/kit/archives/zip';
import { eventually, type TestMarket, type TestUser } from './market';

export interface SeenExport {
  export_id: string;
  status: string;
  bytes: number | null;
  rows: number | null;
  sha256: string | null;
}

type Caller = Pick<TestUser, 'cookie'>;

export const requestExport = (market: TestMarket, { cookie }: Caller) =>
  request(market.url).post('/v1/account/export').set('cookie', cookie);

export async function exportsOf(market: TestMarket, { cookie }: Caller): Promise<SeenExport[]> {
  const answer = await request(market.url).get('/v1/account/exports').set('cookie', cookie).expect(200);
  return (answer.body as { items: SeenExport[] }).items;
}

export const downloadOf = (market: TestMarket, { cookie }: Caller, exportId: string) =>
  request(market.url)
    .get(`/v1/account/exports/${exportId}/archive.zip`)
    .set('cookie', cookie)
    .buffer(true)
    .parse((res, done) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => done(null, Buffer.concat(chunks)));
    });

/** Requests an export, waits until it is ready, and returns the files of its archive. */
export async function exportAll(market: TestMarket, who: Caller): Promise<Map<string, string>> {
  const asked = await requestExport(market, who).expect(202);
  const { export_id: id } = asked.body as SeenExport;
  const seen = async () => (await exportsOf(market, who)).find((one) => one.export_id === id);
  await eventually(async () => (await seen())?.status === 'ready', 30_000);
  const bytes = (await downloadOf(market, who, id).expect(200)).body as Buffer;
  const { sha256, bytes: size } = (await seen()) ?? {};
  if (bytes.length !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('the archive is not the one that was announced');
  return filesOf(bytes);
}

/** The files of a zip archive. */
export async function filesOf(archive: Buffer): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  try {
    const file = join(folder, 'archive.zip');
    writeFileSync(file, archive);
    const files = new Map<string, string>();
    for await (const { name, bytes } of readZip(file, { isWanted: () => true, maxBytes: 50_000_000 }))
      files.set(name, bytes?.toString() ?? '');
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows of a list in an archive. */
export const listOf = <Row>(files: Map<string, string>, name: string) =>
  JSON.parse(files.get(`json/${name}.json`) ?? 'null') as Row[];
