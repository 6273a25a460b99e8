import { createHash } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import { EXPORT_VALID_DAYS } from '../../domain/accounts/mail';
import { MOST_EXPORTS_A_DAY, type ExportEnd } from '../../domain/leaving/export';
import { createSemaphore } from '../../kit/concurrency/semaphore';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { requestMail } from '../../stores/accounts/mails';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/leaving/exports';
import { withSnapshot } from '../../stores/leaving/snapshot';
import { exportArchive } from './export-archive';
import { exportPartContext } from './export-part-context';

export type AccountExport = store.ExportRow;

export interface ExportsDeps {
  pool: DbPool;
  /** Connections for long reads: the replica, or the primary if there is none; and the primary. */
  bulk: { replica: DbPool; primary: DbPool };
  cipher: Cipher;
  origin: string;
}

/** A part of an archive: what is held in memory of it. */
const PART_BYTES = 1_048_576;
/** Archives that a process writes at once, less than it has connections for. Further ones wait. */
const WIDTH = 2;
const CLAIMED = 20;
const CONFIRMED_FOR_MS = 10 * 60_000;
const PURGED_PARTS = 100;
/** Batches of parts that one look deletes. */
const PURGED_BATCHES = 50;
const EXPIRED_AT_ONCE = 100;

/** Exports of everything that an account has stored (ADR 0387). */
export function createExports(deps: ExportsDeps) {
  const { pool } = deps;
  return {
    /**
     * Requests an export. Throws `invalid_state` while one is open, `rate_limited` after three within 24 hours.
     */
    async request(userId: string): Promise<AccountExport> {
      const added = await store.insertExport(pool, newId('exp'), userId);
      if (added === 'one_is_open')
        throw new MarketError('invalid_state', {
          message: 'An export of this account is being written. A mail reports when it is ready.',
        });
      if (added === 'too_many')
        throw new MarketError('rate_limited', {
          message: `An account can request ${MOST_EXPORTS_A_DAY} exports within 24 hours.`,
          retryAfterSeconds: 3_600,
        });
      return added;
    },

    list: (userId: string, page: { beforeId?: string | undefined; limit: number }) =>
      store.listExports(pool, userId, page),

    /** An export of the account. Throws `not_found`. */
    async find(userId: string, exportId: string): Promise<AccountExport> {
      const found = await store.readExport(pool, exportId);
      if (found?.userId !== userId) throw new MarketError('not_found');
      return found;
    },

    markStarted: (exportId: string) => store.markExportStarted(pool, exportId),
    claimUnconfirmed: () => store.claimUnconfirmedExports(pool, CLAIMED, CONFIRMED_FOR_MS),

    ...archives(deps),
  };
}

export type Exports = ReturnType<typeof createExports>;

/** Writes, reads and deletes archives. */
function archives({ pool, bulk, cipher, origin }: ExportsDeps) {
  const places = createSemaphore(WIDTH);

  /** Reads the archive of a ready export part by part. */
  async function* read(exportId: string): AsyncGenerator<Buffer> {
    for (let number = 0; ; number += 1) {
      const sealed = await store.readPart(pool, exportId, number);
      if (!sealed) return;
      yield await cipher.unseal(sealed, exportPartContext(`${exportId} ${number}`));
    }
  }

  async function write(exportId: string, signal: AbortSignal): Promise<ExportEnd> {
    // The activity may have ended while it waited for its place: it must not supersede the attempt behind it.
    signal.throwIfAborted();
    const begun = await store.beginAttempt(pool, exportId);
    if (!begun) return 'gone';
    while ((await store.deleteParts(pool, exportId, PURGED_PARTS)) > 0) signal.throwIfAborted();
    // A replica may cancel a long read, so only the first attempt is made there.
    const source = begun.attempt === 1 ? bulk.replica : bulk.primary;
    const written = await withSnapshot(source, async (snapshot) => {
      const archive = exportArchive(cipher, snapshot, { userId: begun.userId, exportId, origin });
      const parts = await storeParts(
        { pool, cipher, exportId, attempt: begun.attempt },
        archive.bytes,
        signal,
      );
      return parts && { ...parts, rows: archive.rows(), snapshotAt: snapshot.at };
    });
    const isReady =
      written !== undefined &&
      (await finish(pool, begun.userId, { exportId, attempt: begun.attempt, ...written }));
    return isReady ? 'ready' : superseded(pool, exportId);
  }

  return {
    /** The bytes of a ready export. Throws `invalid_state` if it is not ready, or has expired. */
    download(found: AccountExport): AsyncGenerator<Buffer> {
      if (found.state !== 'ready' || (found.expiresAt?.getTime() ?? 0) <= Date.now())
        throw new MarketError('invalid_state', {
          message: `The export is ${found.state === 'ready' ? 'expired' : found.state}. Only a ready export can be downloaded.`,
        });
      return read(found.exportId);
    },

    /**
     * Writes the archive of an export, from the beginning: parts of an attempt that was cut short are deleted, and a
     * late one of them is refused. Returns `gone` if the export has ended. Throws if a newer attempt has begun.
     */
    write: (exportId: string, signal: AbortSignal): Promise<ExportEnd> =>
      places.run(() => write(exportId, signal)),

    /** Ends an export that cannot be written, and reports it by mail. */
    fail: (exportId: string): Promise<void> =>
      withTransaction(pool, async (tx) => {
        const userId = await store.failExport(tx, exportId);
        if (userId !== undefined)
          await requestMail(tx, { recipient: userId, kind: 'export_failed', subject: exportId });
      }),

    /** Ends downloads whose time is over, and deletes their parts in batches. A loop of the worker calls it. */
    async purge(): Promise<void> {
      await store.expireExports(pool, EXPIRED_AT_ONCE);
      for (let batches = 0; batches < PURGED_BATCHES; batches += 1)
        if (!(await withTransaction(pool, (tx) => store.purgeParts(tx, PURGED_PARTS)))) return;
    },
  };
}

/** Makes an archive ready and reports it by mail. Returns false if its attempt is not the newest any more. */
const finish = (pool: DbPool, userId: string, whole: store.WrittenExport): Promise<boolean> =>
  withTransaction(pool, async (tx) => {
    if (!(await store.finishExport(tx, whole, EXPORT_VALID_DAYS))) return false;
    await requestMail(tx, { recipient: userId, kind: 'export_ready', subject: whole.exportId });
    return true;
  });

/** Returns `gone` for an export that has ended. Throws while it is open, so that its workflow does not end first. */
async function superseded(pool: DbPool, exportId: string): Promise<ExportEnd> {
  const found = await store.readExport(pool, exportId);
  if (found?.state === 'waiting' || found?.state === 'running')
    throw new Error(`another attempt to write the export ${exportId} has begun`);
  return 'gone';
}

interface PartsOf {
  pool: DbPool;
  cipher: Cipher;
  exportId: string;
  attempt: number;
}

/** Stores bytes in sealed parts. Undefined if another attempt has begun. */
async function storeParts(
  { pool, cipher, exportId, attempt }: PartsOf,
  source: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  let number = 0;
  for await (const part of inParts(source)) {
    signal.throwIfAborted();
    hash.update(part);
    bytes += part.length;
    const sealed = await cipher.seal(part, exportPartContext(`${exportId} ${number}`));
    if (!(await store.insertPart(pool, { exportId, attempt, number, sealed }))) return undefined;
    number += 1;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    const whole = Buffer.concat(waiting);
    let at = 0;
    for (; whole.length - at >= PART_BYTES; at += PART_BYTES) yield whole.subarray(at, at + PART_BYTES);
    waiting = [whole.subarray(at)];
    size = whole.length - at;
  }
  if (size > 0) yield Buffer.concat(waiting);
}
