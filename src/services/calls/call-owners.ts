/**
 * Which processes hold calls, and which calls lost theirs (ADR 0065). A call that was accepted a moment before its
 * process died may be in no workflow; the sweep of lost calls gives it one, which refunds it.
 */
import type { Logger } from '../../logger';
import { listLostCalls, type LostCall, recordOwnerSeen } from '../../stores/calls/call-owners';
import type { DbPool } from '../../stores/db';

const SEEN_EVERY_MS = 3_000;
/** A process that was not seen for this long is gone. */
const SILENT_MS = 15_000;
const BATCH = 200;

export interface CallOwnersDeps {
  pool: DbPool;
  owner: string;
  logger: Logger;
}

export function createCallOwners({ pool, owner, logger }: CallOwnersDeps) {
  let timer: NodeJS.Timeout | undefined;

  function record(): void {
    recordOwnerSeen(pool, owner).catch((error: unknown) =>
      logger.debug({ err: error }, 'could not record that this process is alive'),
    );
  }

  return {
    /** Records every few seconds that this process is alive. */
    start(): void {
      record();
      timer ??= setInterval(record, SEEN_EVERY_MS);
      timer.unref();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
    lost: (): Promise<LostCall[]> => listLostCalls(pool, SILENT_MS, BATCH),
  };
}

export type CallOwners = ReturnType<typeof createCallOwners>;
