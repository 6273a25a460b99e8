/**
 * 1,000 events (50 outside the crash campaign) to a receiver that fails 30% of the time, by a sender that is killed
 * five times (twice): each is delivered at least once, every signature is right, and what the owner sees is what came.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/kit/ids/ids';
import { newSigningSecret } from '../../src/kit/crypto/webhook-signature';
import { sealWebhook } from '../../src/services/webhooks/webhook-secrets';
import { testCertificates } from '../support/agents/authority';
import { few } from '../support/ledger/counts';
import { eventually } from '../support/market';
import { startProcessStack, type ProcessStack, type ServiceProcess } from '../support/stack/process-stack';
import { verify } from '../support/webhooks/webhooks';
import { realTime } from '../support/waits';

const EVENTS = few(50, 1_000);
const KILLS = few(2, 5);
const DELIVERED_IN_MS = 150_000;
/** With twelve attempts of which 30% fail, one event in two million fails all of them. */
const PAUSES_MS = [200, 400, 800, 1_500, 1_500, 1_500, 1_500, 1_500, 1_500, 1_500, 1_500].join(',');

jest.setTimeout(300_000);

const secret = newSigningSecret();
const webhookId = newId('whk');
/** Event id → number of deliveries received. */
const taken = new Map<string, number>();
const numbers = new Set<unknown>();
const wrong: unknown[] = [];
let requests = 0;
let refused = 0;

let stack: ProcessStack;
let worker: ServiceProcess;
let receiver: Server;
beforeAll(async () => {
  const { leaf } = await testCertificates();
  receiver = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests += 1;
      const text = Buffer.concat(chunks).toString();
      const status = take(String(request.headers['webhook-id']), text, request.headers);
      if (status === 0) return void request.socket.destroy();
      void realTime(20, 'the receiver takes a while').then(() => response.writeHead(status).end());
    });
  });
  receiver.listen(0, '127.77.0.9');
  await once(receiver, 'listening');
  stack = await startProcessStack();
  await subscribe(`https://127.77.0.9:${(receiver.address() as AddressInfo).port}/hook`);
  worker = await stack.addProcess('worker', {
    env: { WEBHOOK_RETRY_PAUSES_MS: PAUSES_MS, LOG_LEVEL: 'warn' },
  });
});
afterAll(async () => {
  await stack.stop();
  receiver.closeAllConnections();
  receiver.close();
});

/** Three of ten fail: a hang-up, an error, a redirect. */
function take(id: string, text: string, headers: object): number {
  try {
    const { data } = verify(secret, { text, headers: headers as never });
    const failure = [0, 500, 302][requests % 10];
    if (failure !== undefined) {
      refused += 1;
      return failure;
    }
    numbers.add(data['number']);
  } catch (error) {
    wrong.push(error);
  }
  taken.set(id, (taken.get(id) ?? 0) + 1);
  return 204;
}

async function subscribe(url: string): Promise<void> {
  const userId = newId('usr');
  const sealed = await sealWebhook(stack.container.cipher, webhookId, {
    url,
    secrets: [{ secret, untilMs: null }],
  });
  await stack.owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role)
     VALUES ($1, 'receiver@example.test', '-', 'Receiver', 'buyer')`,
    [userId],
  );
  await stack.owner.query(
    `INSERT INTO webhooks (webhook_id, user_id, types, sealed) VALUES ($1, $2, '{credits.loaded}', $3)`,
    [webhookId, userId, sealed],
  );
}

async function countOf(state: string): Promise<number> {
  const { rows } = await stack.owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM webhook_deliveries WHERE state = $1',
    [state],
  );
  return rows[0]?.n ?? 0;
}

it('delivers every event at least once, with every signature right', async () => {
  await stack.owner.query(
    `SELECT event_record('credits.loaded', jsonb_build_object('number', n), ARRAY(SELECT user_id FROM users))
       FROM generate_series(1, $1) n`,
    [EVENTS],
  );
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = (kill * EVENTS) / (KILLS + 1);
    await eventually(async () => taken.size >= enough, DELIVERED_IN_MS);
    await worker.kill();
    await worker.start();
  }
  await eventually(async () => (await countOf('delivered')) === EVENTS, DELIVERED_IN_MS);
  expect(wrong).toEqual([]);
  expect([taken.size, numbers.size]).toEqual([EVENTS, EVENTS]);
  expect(refused / requests).toBeGreaterThan(0.25);
  const { rows } = await stack.owner.query<{ event_id: string }>('SELECT event_id FROM events');
  expect(new Set(rows.map(({ event_id: id }) => id))).toEqual(new Set(taken.keys()));
  const { rows: written } = await stack.owner.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM webhook_attempts WHERE status = 204',
  );
  // A delivery that was sent and not recorded was sent again; no delivery was recorded that did not arrive.
  const came = [...taken.values()].reduce((sum, times) => sum + times, 0);
  expect(written[0]?.n).toBe(EVENTS);
  expect(came).toBeGreaterThanOrEqual(EVENTS);
});
