import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { unitsToCredits } from '../domain/ledger/money';
import type { Logger } from '../logger';
import type { CallOwners } from '../services/calls/call-owners';
import { withDeadline } from './deadline';
import { startFor } from './enrolment';

const START_DEADLINE_MS = 1_500;
/** Number of starts at a time, so that starts that hang do not hold up a whole sweep. */
const AT_ONCE = 10;

export interface LostCallsDeps {
  client: () => Client | undefined;
  taskQueue: string;
  /** Task queue of a process that holds calls. */
  ownerQueue: (owner: string) => string;
  owners: Pick<CallOwners, 'lost'>;
  logger: Pick<Logger, 'warn'>;
}

type LostCall = Awaited<ReturnType<CallOwners['lost']>>[number];

/**
 * The sweep of lost calls: gives each a workflow of its own, unless it has one, which drives it to its end. A start
 * that fails is left for the next sweep, and does not stop the others.
 */
export function createLostCallSweep({ client, taskQueue, ownerQueue, owners, logger }: LostCallsDeps) {
  async function start(connected: Client, { owner, priceUnits, ...call }: LostCall): Promise<void> {
    const queues = { taskQueue, ownerQueue: ownerQueue(owner), eager: false };
    const member = { ...call, priceCredits: unitsToCredits(priceUnits) };
    try {
      await withDeadline(connected, START_DEADLINE_MS, () => startFor(connected, queues, [member]));
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      const { invocationId } = call;
      logger.warn(
        { err: error, invocationId },
        'could not start the workflow of a lost call; the sweep retries',
      );
    }
  }

  return async (): Promise<void> => {
    const connected = client();
    if (!connected) return;
    const lost = await owners.lost();
    for (let at = 0; at < lost.length; at += AT_ONCE)
      await Promise.all(lost.slice(at, at + AT_ONCE).map((call) => start(connected, call)));
  };
}
