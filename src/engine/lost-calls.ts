import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { unitsToCredits } from '../domain/ledger/money';
import type { CallOwners } from '../services/calls/call-owners';
import { startFor } from './enrolment';

export interface LostCallsDeps {
  client: () => Client | undefined;
  taskQueue: string;
  /** Task queue of a process that holds calls. */
  ownerQueue: (owner: string) => string;
  owners: Pick<CallOwners, 'lost'>;
}

/** The sweep of lost calls: gives each a workflow of its own, unless it has one, which leads it to its end. */
export function createLostCallSweep({ client, taskQueue, ownerQueue, owners }: LostCallsDeps) {
  return async (): Promise<void> => {
    const connected = client();
    if (!connected) return;
    for (const { owner, priceUnits, ...call } of await owners.lost()) {
      const queues = { taskQueue, ownerQueue: ownerQueue(owner), eager: false };
      const member = { ...call, priceCredits: unitsToCredits(priceUnits) };
      try {
        await startFor(connected, queues, [member]);
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    }
  };
}
