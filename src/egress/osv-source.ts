/**
 * The public export of OSV: for each ecosystem an archive of all records (`all.zip`), a list of changes
 * (`modified_id.csv`, newest first) and each record. An archive is used only if its checksum is right; a download that
 * broke off continues where it ended, unless the archive has changed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { Ecosystem } from '../domain/evidence/evidence-facts';
import { crc32c } from '../kit/crypto/crc32c';
import { parseStrictJson } from '../kit/json/strict-json';
import type { Egress } from './agent-call';
import type { EgressStream } from './answer';
import { EgressError } from './egress-error';

export interface OsvChange {
  id: string;
  /** RFC 3339 */
  modified: string;
}

export type OsvSource = ReturnType<typeof createOsvSource>;

const PUBLIC_URL = 'https://osv-vulnerabilities.storage.googleapis.com';
const TIMEOUTS_MS = { archive: 30 * 60_000, list: 120_000, record: 30_000 } as const;
const MOST_BYTES = { archive: 2 * 1024 ** 3, list: 64 * 1024 ** 2, record: 4 * 1024 ** 2 } as const;
/** How often a download is continued before the next scheduled run. */
const MOST_TRIES = 4;
const CHANGE = /^([0-9TZ:.+-]{10,40}),([A-Za-z0-9][A-Za-z0-9._:-]{2,99})$/;

/** Creates the source. `url` overrides the address of the export; empty uses the public one. */
export function createOsvSource(egress: Pick<Egress, 'open' | 'post'>, url: string) {
  const base = (url || PUBLIC_URL).replace(/\/$/, '');

  async function read(path: string, kind: 'list' | 'record'): Promise<Buffer> {
    const answer = await egress.post({
      url: `${base}/${path}`,
      method: 'GET',
      headers: { accept: '*/*' },
      deadlineMs: Date.now() + TIMEOUTS_MS[kind],
      maxResponseBytes: MOST_BYTES[kind],
    });
    if (answer.status !== 200) throw refused(`the source responded with status ${answer.status}`);
    return answer.body;
  }

  return {
    /**
     * Downloads the archive of an ecosystem into `file`. Continues a part that an earlier call has left there. Throws
     * `EgressError`: `bad_response` if the checksum is wrong or absent; then nothing is left.
     */
    async download(ecosystem: Ecosystem, file: string, signal?: AbortSignal): Promise<void> {
      for (let tries = 1; ; tries += 1) {
        try {
          const head = await fetchRest(egress, `${base}/${ecosystem}/all.zip`, file, signal);
          return await verify(file, head);
        } catch (error) {
          if (tries >= MOST_TRIES || !isBroken(error) || signal?.aborted === true) throw error;
        }
      }
    },

    /**
     * The records that were changed after `since`, newest first, the time of the newest change of all, and how many
     * there are.
     */
    async changes(
      ecosystem: Ecosystem,
      since: Date,
    ): Promise<{ newest: Date | undefined; changed: OsvChange[]; total: number }> {
      const lines = (await read(`${ecosystem}/modified_id.csv`, 'list')).toString('utf8').split('\n');
      const changed: OsvChange[] = [];
      let newest: Date | undefined;
      let total = 0;
      for (const line of lines) {
        const [, modified = '', id = ''] = CHANGE.exec(line.trim()) ?? [];
        const at = new Date(modified);
        if (Number.isNaN(at.getTime())) continue;
        total += 1;
        if (!newest || at > newest) newest = at;
        if (at > since) changed.push({ id, modified });
      }
      return { newest, changed, total };
    },

    async record(ecosystem: Ecosystem, id: string): Promise<unknown> {
      const body = await read(`${ecosystem}/${encodeURIComponent(id)}.json`, 'record');
      try {
        return parseStrictJson(body).value;
      } catch {
        throw refused('a record is not JSON');
      }
    },
  };
}

interface ArchiveHead {
  /** Bytes of the whole archive. */
  total: number;
  /** Checksums by name, in base64: `md5`, `crc32c`. */
  checksums: ReadonlyMap<string, string>;
}

/** Appends what is missing of an archive, or begins anew if it changed. `<file>.etag` names what the part is of. */
async function fetchRest(
  egress: Pick<Egress, 'open'>,
  url: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<ArchiveHead> {
  const { have, etag } = await partOf(file);
  const range: Record<string, string> = have > 0 ? { range: `bytes=${have}-`, 'if-range': etag } : {};
  const answer = await egress.open({
    url,
    method: 'GET',
    headers: { accept: '*/*', ...range },
    signal,
    deadlineMs: Date.now() + TIMEOUTS_MS.archive,
    maxResponseBytes: MOST_BYTES.archive,
  });
  const continues = answer.status === 206 && have > 0 && startOf(answer) === have;
  if (!continues && answer.status !== 200) {
    answer.close();
    await forget(file);
    throw refused(`the source responded with status ${answer.status}`);
  }
  const total = continues ? totalOf(answer) : Number(answer.header('content-length'));
  if (!continues) await writeFile(`${file}.etag`, answer.header('etag') ?? '');
  const target = await open(file, continues ? 'a' : 'w');
  try {
    for await (const chunk of answer.body) await target.write(chunk);
  } catch (error) {
    if (signal?.aborted === true || !(error instanceof EgressError) || error.kind === 'too_large')
      throw error;
    throw new EgressError('unreachable', 'the archive broke off', undefined, { cause: error });
  } finally {
    await target.close();
  }
  return { total, checksums: checksumsOf(answer) };
}

async function partOf(file: string): Promise<{ have: number; etag: string }> {
  const etag = await readFile(`${file}.etag`, 'utf8').catch(() => '');
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  // A weak etag does not promise the same bytes.
  return etag === '' || etag.startsWith('W/') ? { have: 0, etag: '' } : { have: size, etag };
}

function startOf(answer: EgressStream): number {
  return Number(/^bytes (\d+)-/.exec(answer.header('content-range') ?? '')?.[1]);
}

function totalOf(answer: EgressStream): number {
  return Number(/\/(\d+)$/.exec(answer.header('content-range') ?? '')?.[1]);
}

/** `x-goog-hash: crc32c=…,md5=…` */
function checksumsOf(answer: EgressStream): ReadonlyMap<string, string> {
  const pairs = (answer.header('x-goog-hash') ?? '').split(',').map((pair) => pair.trim());
  return new Map(
    pairs.flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=');
      return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
    }),
  );
}

async function verify(file: string, { total, checksums }: ArchiveHead): Promise<void> {
  const { size } = await stat(file);
  if (Number.isSafeInteger(total) && size < total)
    throw new EgressError('unreachable', `the archive broke off after ${size} of ${total} bytes`);
  const md5 = createHash('md5');
  let crc = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    md5.update(chunk);
    crc = crc32c(chunk, crc);
  }
  const crcBytes = Buffer.alloc(4);
  crcBytes.writeUInt32BE(crc);
  const found = new Map([
    ['md5', md5.digest('base64')],
    ['crc32c', crcBytes.toString('base64')],
  ]);
  const named = [...found.keys()].filter((name) => checksums.has(name));
  const isRight = named.length > 0 && named.every((name) => checksums.get(name) === found.get(name));
  await rm(`${file}.etag`, { force: true });
  if (isRight) return;
  await forget(file);
  throw refused(named.length > 0 ? 'the checksum of the archive is wrong' : 'the archive has no checksum');
}

async function forget(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(`${file}.etag`, { force: true });
}

function isBroken(error: unknown): boolean {
  return error instanceof EgressError && (error.kind === 'unreachable' || error.kind === 'timeout');
}

function refused(message: string): EgressError {
  return new EgressError('bad_response', message);
}
