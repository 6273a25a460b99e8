import type { Client } from '@temporalio/client';

/** A client of Temporal that starts nothing and keeps the ids of the workflows that were to be started. */
export function recordingClient(): { client: () => Client; started: string[] } {
  const started: string[] = [];
  const client = {
    connection: { withDeadline: (_at: number, work: () => Promise<unknown>) => work() },
    workflow: {
      start(_type: string, { workflowId }: { workflowId: string }) {
        started.push(workflowId);
        return Promise.resolve({});
      },
    },
  };
  return { client: () => client as unknown as Client, started };
}
