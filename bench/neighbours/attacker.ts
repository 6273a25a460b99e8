/**
 * The process of all attackers. It starts their agents and reports the addresses; then, for each message, it runs attacks
 * until the next one. It has a lower priority, because real attackers bring machines of their own.
 */
import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { startAgent } from '../../test/support/agents/test-agent';
import { ATTACKS, type Ground } from './attacks';

export interface Orders {
  attacks: readonly string[];
  ground: Ground;
}

export interface AgentUrls {
  echo: string;
  hanging: string;
  mirror: string;
}

const CREDENTIAL_PART = 'abababababababababababab';
const MIRRORED_BYTES = 10 * 1024 * 1024 - 1_000;

async function main(): Promise<void> {
  setPriority(10);
  const [echo, hanging, mirror] = await Promise.all([
    startAgent({ host: '127.77.0.11', keepBodies: false }),
    startAgent({ host: '127.77.0.12', keepBodies: false, behaviour: { kind: 'hangs' } }),
    startAgent({
      host: '127.77.0.13',
      keepBodies: false,
      behaviour: {
        kind: 'answer',
        output: { text: CREDENTIAL_PART.repeat(MIRRORED_BYTES / CREDENTIAL_PART.length) },
      },
    }),
  ]);
  const urls: AgentUrls = { echo: echo.url, hanging: hanging.url, mirror: mirror.url };
  process.send?.(urls);
  let stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  process.on('message', ({ attacks, ground }: Orders) => {
    void (async () => {
      stop.abort();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 500))]);
      stop = new AbortController();
      const { signal } = stop;
      setMaxListeners(0, signal);
      running = Promise.allSettled(
        attacks.map((name) => ATTACKS[name]?.(ground, signal) ?? Promise.resolve()),
      );
      process.send?.('running');
    })();
  });
  process.once('disconnect', () => process.exit(0));
}

void main();
