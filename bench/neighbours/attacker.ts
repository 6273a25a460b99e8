/**
 * The process of all attackers. It starts their agents and reports the addresses; then, for each message, it runs
 * attacks until the next one. It has the lowest priority, because real attackers bring machines of their own: its own
 * work must not take processors from the service. The report names what it sent, so that a slower attacker cannot pass
 * for a better defence.
 */
import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { startAgent } from '../../test/support/agents/test-agent';
import { ATTACKS, type Ground } from './attacks';

export interface Orders {
  attacks: readonly string[];
  ground: Ground;
}

/** Requests that an attack began, and the statuses of the answers that it waited for (0: none). */
export interface Pressure {
  requests: number;
  statuses: Record<string, number>;
}

/** What the attacks sent from one message to the next. */
export interface Sent {
  ms: number;
  attacks: Record<string, Pressure>;
}

export interface AgentUrls {
  echo: string;
  hanging: string;
  mirror: string;
}

const CREDENTIAL_PART = 'abababababababababababab';
const MIRRORED_BYTES = 10 * 1024 * 1024 - 1_000;

async function main(): Promise<void> {
  setPriority(19);
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
  let counted = createCounts();
  process.on('message', ({ attacks, ground }: Orders) => {
    void (async () => {
      stop.abort();
      const sent = counted.sent();
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 500))]);
      stop = new AbortController();
      const { signal } = stop;
      const counts = (counted = createCounts());
      setMaxListeners(0, signal);
      running = Promise.allSettled(
        attacks.map((name) => {
          const target = { ...ground.target, ...counts.of(name) };
          return ATTACKS[name]?.({ ...ground, target }, signal) ?? Promise.resolve();
        }),
      );
      process.send?.(sent);
    })();
  });
  process.once('disconnect', () => process.exit(0));
}

function createCounts() {
  const beganAt = performance.now();
  const attacks: Record<string, Pressure> = {};
  return {
    of(name: string) {
      const pressure = (attacks[name] ??= { requests: 0, statuses: {} });
      return {
        onRequest: () => void (pressure.requests += 1),
        onStatus: (status: number) => void (pressure.statuses[status] = (pressure.statuses[status] ?? 0) + 1),
      };
    },
    sent: (): Sent => ({ ms: performance.now() - beganAt, attacks: structuredClone(attacks) }),
  };
}

void main();
