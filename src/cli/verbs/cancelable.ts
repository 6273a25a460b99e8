import type { MarketApi } from '../api-client';
import { CliFailure } from '../failure';
import { ask } from '../terminal/terminal-input';

/**
 * Waits for a call. At a terminal, Ctrl-C asks whether to cancel the call: if so, the wait goes on to its end; if not,
 * or after another Ctrl-C, the command ends and the call goes on.
 */
export async function cancelable<T>(api: MarketApi, id: string, wait: () => Promise<T>): Promise<T> {
  if (!process.stdin.isTTY) return wait();
  const over = new AbortController();
  const interrupt = () => void decide(api, id, over.signal);
  process.once('SIGINT', interrupt);
  try {
    return await wait();
  } finally {
    process.off('SIGINT', interrupt);
    over.abort();
  }
}

async function decide(api: MarketApi, id: string, signal: AbortSignal): Promise<void> {
  process.stderr.write('\n');
  const answer = await ask(`Cancel ${id}? Otherwise it goes on (y/N)`, { signal }).catch(() => undefined);
  // The call has ended meanwhile.
  if (answer === undefined) return;
  if (!/^\s*y(es)?\s*$/i.test(answer)) {
    process.kill(process.pid, 'SIGINT');
    return;
  }
  await api.call('DELETE', `/v1/invocations/${encodeURIComponent(id)}`).catch((error: unknown) => {
    if (!(error instanceof CliFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
  });
}
