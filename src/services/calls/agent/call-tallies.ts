import type { ErrorCode } from '../../../domain/errors';
import { callFault } from '../../../domain/calls/call-fault';
import type { Logger } from '../../../logger';
import type { DbPool } from '../../../stores/db';
import { addTallies, type TallyItem } from '../../../stores/calls/call-tallies';

/** How long outcomes are collected before they are stored. */
const FLUSH_MS = 1_000;
/** Pairs of agent and buyer that are collected; calls of further ones are not counted. */
const MOST_PAIRS = 10_000;

/**
 * Counts how paid calls end, by agent and buyer. Listings show them (`stores/catalogue/agent-stats.ts`), and
 * verification compares them with the run (`domain/verification/behaviour.ts`). Outcomes are collected in memory and
 * stored each second, so that calls do not wait. A crash loses the last second.
 */
export function createCallTallies({ pool, logger }: { pool: DbPool; logger: Pick<Logger, 'warn'> }) {
  let open = new Map<string, TallyItem>();
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();

  async function store(items: TallyItem[]): Promise<void> {
    try {
      await addTallies(pool, items);
    } catch (error) {
      logger.warn({ err: error, pairs: items.length }, 'outcomes of calls were not counted');
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const items = [...open.values()];
    open = new Map();
    if (items.length > 0) storing = storing.then(() => store(items));
    return storing;
  }

  return {
    /** Records the outcome of a call. `code`: null for a success. Errors that are not the agent's are ignored. */
    note(agentId: string, buyerUserId: string, code: ErrorCode | null, status?: number): void {
      if (code !== null && callFault(code) !== 'agent') return;
      const pair = `${agentId} ${buyerUserId}`;
      if (open.size >= MOST_PAIRS && !open.has(pair)) return;
      const tally = open.get(pair) ?? {
        agent_id: agentId,
        buyer_user_id: buyerUserId,
        succeeded: 0,
        refused: 0,
        failed: 0,
        code: null,
      };
      const isRefused = code === 'agent_error' && status !== undefined && status >= 400 && status < 500;
      if (code === null) tally.succeeded += 1;
      else if (isRefused) tally.refused += 1;
      else {
        tally.failed += 1;
        tally.code = code;
      }
      open.set(pair, tally);
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
    },

    /** Stores what was collected. */
    flush,
  };
}

export type CallTallies = ReturnType<typeof createCallTallies>;
