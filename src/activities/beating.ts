import { Context } from '@temporalio/activity';

const HEARTBEAT_MS = 1_000;

/** Runs what may take long, as files over many payouts and calls to a chain: a worker that died in it is noticed by its silence. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
