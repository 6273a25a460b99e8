/**
 * An agent that streams 200 events, 10 ms apart. Each contains its number and the time of sending, by the machine's
 * monotonic clock in nanoseconds. Prints its address.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from '../test/support/agents/test-agent';

const EVENTS = 200;

async function* parts() {
  await sleep(20);
  for (let n = 0; n < EVENTS; n += 1) {
    yield `data: "${n} ${process.hrtime.bigint()};"\n\n`;
    await sleep(10);
  }
}

const behaviour = { kind: 'stream', contentType: 'text/event-stream', parts } as const;
void startAgent({ host: '127.77.0.9', keepBodies: false, behaviour }).then((agent) => console.log(agent.url));
