import type { NoticeKind } from '../../domain/accounts/mail';
import { MarketError } from '../../domain/errors';
import {
  DELETION_BLOCKS,
  type DeletionInput,
  type DeletionState,
  type ErasureBegin,
  type ErasurePart,
  isDeletionBlock,
} from '../../domain/leaving/deletion';
import { createSemaphore } from '../../kit/concurrency/semaphore';
import { mailTokenSha256 } from '../../kit/crypto/mail-token';
import { newId } from '../../kit/ids/ids';
import { consumeToken, requestMail } from '../../stores/accounts/mails';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/leaving/deletions';
import { closeAccount, lockOrganisationsOf, retireAgents } from './account-closing';
import type { RetainedRecords } from './retained-records';

export type Deletion = store.DeletionRow;

export interface DeletionRequest {
  userId: string;
  forfeits: boolean;
  /** Null for the account of a person. */
  requestedBy: string | null;
}

export interface DeletionsDeps {
  pool: DbPool;
  /** Connections without short limits. */
  bulk: { primary: DbPool };
  retained: Pick<RetainedRecords, 'keep'>;
  /** DELETION_WINDOW_MS. */
  windowMs: number;
  /** BACKUP_RETENTION_DAYS. */
  backupDays: number;
}

const CLAIMED = 20;
const CONFIRMED_FOR_MS = 10 * 60_000;
/** Rows of one transaction of an erasure. */
const BATCH = 1_000;
/** Erasures of a process at once. Exports have the other connections for long work. */
const WIDTH = 1;
/** Until then, a deletion can be withdrawn. */
const WITHDRAWABLE = ['requested', 'confirmable', 'confirmed'] as const satisfies readonly DeletionState[];

/** Deletions of accounts, as owners and operators see and move them (ADR 0388). */
export function createDeletions(deps: DeletionsDeps) {
  const { pool, windowMs } = deps;
  return {
    /** What the workflow of a deletion begins with. */
    inputOf: ({ deletionId, confirmFrom }: Deletion): DeletionInput => ({
      deletionId,
      confirmFromMs: confirmFrom.getTime(),
      confirmForMs: windowMs,
    }),

    /** The open deletion of an account, or null, and what blocks one. */
    async standing(userId: string): Promise<{ deletion: Deletion | null; blocks: string[] }> {
      const deletion = (await store.readOpenDeletion(pool, userId)) ?? null;
      return { deletion, blocks: await store.readBlocks(pool, userId, deletion?.forfeits ?? false) };
    },

    /**
     * Requests the deletion of an account; `requestedBy`: the owner of an organisation who asks for its deletion. The
     * caller has proven the password. An open deletion is returned as it is. Throws `invalid_state` with what blocks
     * it.
     */
    async request({ userId, forfeits, requestedBy }: DeletionRequest): Promise<Deletion> {
      const open = await store.readOpenDeletion(pool, userId);
      if (open) return open;
      const blocks = await store.readBlocks(pool, userId, forfeits);
      if (blocks.length > 0) throw blocked(blocks);
      const added = await withTransaction(pool, async (tx) => {
        const wanted = { deletionId: newId('del'), userId, forfeits, requestedBy, windowMs };
        const row = await store.insertDeletion(tx, wanted);
        if (row) await notify(tx, row, 'deletion_requested', row.confirmFrom.toISOString().slice(0, 10));
        return row;
      });
      const deletion = added ?? (await store.readOpenDeletion(pool, userId));
      if (!deletion) throw new MarketError('invalid_state');
      return deletion;
    },

    /** Withdraws the open deletion of an account. Throws `not_found`, or `invalid_state` once the erasure has begun. */
    async withdraw(userId: string): Promise<Deletion> {
      const open = await store.readOpenDeletion(pool, userId);
      if (!open) throw new MarketError('not_found');
      return withTransaction(pool, async (tx) => {
        const moved = await store.moveDeletion(tx, open.deletionId, WITHDRAWABLE, 'withdrawn');
        if (!moved)
          throw new MarketError('invalid_state', { message: 'The data of the account is being erased.' });
        await notify(tx, moved, 'deletion_withdrawn');
        return moved;
      });
    },

    /** Confirms a deletion with the token of its mail. Throws `validation_failed` for a wrong token. */
    confirm: (token: string): Promise<Deletion> =>
      withTransaction(pool, async (tx) => {
        const userId = await consumeToken(tx, mailTokenSha256(token), 'delete_account');
        const open = userId === undefined ? undefined : await store.readOpenDeletion(tx, userId);
        const moved = open && (await store.moveDeletion(tx, open.deletionId, ['confirmable'], 'confirmed'));
        if (!moved) throw wrongToken();
        await notify(tx, moved, 'deletion_confirmed');
        return moved;
      }),

    list: (filter: Parameters<typeof store.listDeletions>[1]) => store.listDeletions(pool, filter),
    markStarted: (deletionId: string) => store.markDeletionStarted(pool, deletionId),
    claimUnconfirmed: () => store.claimUnconfirmedDeletions(pool, CLAIMED, CONFIRMED_FOR_MS),

    ...deletionSteps(deps),
    ...erasureSteps(deps),
  };
}

export type Deletions = ReturnType<typeof createDeletions>;

/** The steps of the workflow of a deletion. Each may be repeated. */
function deletionSteps({ pool }: DeletionsDeps) {
  return {
    /** The window is over: the mail that asks for the confirmation goes out. Returns the state of the deletion. */
    openConfirmation: (deletionId: string): Promise<DeletionState> =>
      withTransaction(pool, async (tx) => {
        const moved = await store.moveDeletion(tx, deletionId, ['requested'], 'confirmable');
        if (!moved) return stateOf(tx, deletionId);
        await requestMail(tx, { recipient: moved.userId, kind: 'confirm_deletion' });
        return moved.state;
      }),

    /** The confirmation did not come. Returns the state of the deletion. */
    lapse: (deletionId: string): Promise<DeletionState> =>
      withTransaction(pool, async (tx) => {
        const moved = await store.moveDeletion(tx, deletionId, ['confirmable'], 'lapsed');
        if (!moved) return stateOf(tx, deletionId);
        await notify(tx, moved, 'deletion_lapsed');
        return moved.state;
      }),

    state: (deletionId: string): Promise<DeletionState> =>
      withTransaction(pool, (tx) => stateOf(tx, deletionId)),

    /**
     * Begins the erasure unless something blocks it: closes the account and ends every access of it. A deletion that is
     * blocked says so, by mail too when that is news.
     */
    begin: (deletionId: string): Promise<ErasureBegin> =>
      withTransaction(pool, async (tx) => {
        const deletion = await store.lockDeletion(tx, deletionId);
        if (deletion?.state === 'erasing') return 'erasing';
        if (deletion?.state !== 'confirmed') return 'ended';
        const { userId } = deletion;
        const orgIds = await lockOrganisationsOf(tx, deletion);
        const blocks = await store.readBlocks(tx, userId, deletion.forfeits);
        if (blocks.length > 0) {
          const isNews = await store.setBlocks(tx, deletionId, blocks);
          if (isNews) await notify(tx, deletion, 'deletion_blocked', blocks.join(' '));
          return 'blocked';
        }
        await store.moveDeletion(tx, deletionId, ['confirmed'], 'erasing');
        await closeAccount(tx, deletion, orgIds);
        return 'erasing';
      }),
  };
}

/** The steps of an erasure that has begun. */
function erasureSteps({ pool, bulk, retained, backupDays }: DeletionsDeps) {
  const places = createSemaphore(WIDTH);
  return {
    /**
     * Retires agents of the account, and returns whether it has come to rest: no agent is left, calls that had passed
     * the access check have ended, and its mails are sent.
     */
    async isAtRest(deletionId: string): Promise<boolean> {
      const deletion = await withTransaction(pool, (tx) => store.lockDeletion(tx, deletionId));
      if (deletion?.state !== 'erasing') return true;
      if (!(await retireAgents(pool, deletion.userId))) return false;
      const blocks = await store.readBlocks(pool, deletion.userId, deletion.forfeits);
      await store.setBlocks(pool, deletionId, blocks);
      return blocks.length === 0 && (await store.countWaitingMails(pool, deletion.userId)) === 0;
    },

    /** Keeps what the law requires before it is erased. */
    async retain(deletionId: string): Promise<void> {
      const deletion = await withTransaction(pool, (tx) => store.lockDeletion(tx, deletionId));
      if (deletion?.state === 'erasing') await retained.keep(deletion.userId);
    },

    /** Erases a part of the data in batches. */
    async erase(deletionId: string, part: ErasurePart, signal: AbortSignal): Promise<void> {
      const deletion = await withTransaction(pool, (tx) => store.lockDeletion(tx, deletionId));
      if (deletion?.state !== 'erasing') return;
      await places.run(async () => {
        for (let after: string | null = ''; after !== null;) {
          signal.throwIfAborted();
          after = await store.erasePart(bulk.primary, deletion.userId, part, after, BATCH);
        }
      });
    },

    finish: (deletionId: string): Promise<void> => store.finishDeletion(pool, deletionId, backupDays),
  };
}

/** Reports a deletion by mail, for an organisation to its owners and admins: then its id ends the subject. */
const notify = (tx: Db, { userId, requestedBy }: Deletion, kind: NoticeKind, about = ''): Promise<void> =>
  requestMail(tx, {
    recipient: userId,
    kind,
    subject: requestedBy === null ? about : `${about} ${userId}`.trim(),
  });

async function stateOf(tx: Db, deletionId: string): Promise<DeletionState> {
  return (await store.lockDeletion(tx, deletionId))?.state ?? 'withdrawn';
}

/** The sentences for what blocks a deletion. */
export const blockTexts = (blocks: readonly string[]) =>
  blocks.filter(isDeletionBlock).map((code) => ({ code, message: DELETION_BLOCKS[code] }));

function blocked(blocks: readonly string[]): MarketError {
  const why = blockTexts(blocks).map(({ message }) => message);
  return new MarketError('invalid_state', { message: `The account cannot be deleted yet. ${why.join(' ')}` });
}

function wrongToken(): MarketError {
  const detail = {
    loc: ['body', 'token'],
    msg: 'is wrong, was used or has expired, or the deletion was withdrawn',
    type: 'token',
  };
  return new MarketError('validation_failed', { detail: [detail] });
}
