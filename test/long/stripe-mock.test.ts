/**
 * The requests to Stripe have the shapes of its published API: stripe-mock checks each by the OpenAPI document of
 * Stripe (ADR 0308). It speaks plain HTTP, so a server with a certificate of the tests stands before it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { resolve } from 'node:path';
import { createEgress, type Egress } from '../../src/egress/agent-call';
import { createStripe, type StripeClient } from '../../src/egress/stripe';
import { testCertificates } from '../support/agents/authority';
import { egressSettings } from '../support/stack/egress';

const ROOT = resolve(__dirname, '../..');
const built = spawnSync(process.execPath, ['tools/stripe-mock.mjs'], { cwd: ROOT, encoding: 'utf8' });
const program = built.stdout;
const describeBuilt = program === '' && built.status === 0 ? describe.skip : describe;

const HOST = '127.77.0.21';

async function freePort(): Promise<number> {
  const server = createTcp().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describeBuilt('requests to Stripe', () => {
  let mock: ChildProcess;
  let front: Server;
  let egress: Egress;
  let stripe: StripeClient;
  /** Statuses of the answers. */
  const statuses: string[] = [];

  beforeAll(async () => {
    expect([built.status, built.stderr]).toEqual([0, '']);
    const port = await freePort();
    mock = spawn(program, [String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(mock.stdout!, 'data');
    const { leaf } = await testCertificates();
    front = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (incoming, outgoing) => {
      const options = {
        host: '127.0.0.1',
        port,
        path: incoming.url,
        method: incoming.method,
        headers: incoming.headers,
      };
      const passed = httpRequest(options, (answer) => {
        statuses.push(`${incoming.method} ${incoming.url} ${answer.statusCode}`);
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    }).listen(0, HOST);
    await once(front, 'listening');
    egress = createEgress(egressSettings());
    const apiUrl = `https://${HOST}:${(front.address() as AddressInfo).port}`;
    stripe = createStripe(egress, { apiUrl, secretKey: 'sk_test_123' });
  }, 600_000);
  afterAll(async () => {
    mock.kill();
    front.closeAllConnections();
    front.close();
    await egress.close();
  });
  beforeEach(() => (statuses.length = 0));

  const payment = {
    topupId: `top_${'a'.repeat(32)}`,
    amountMinor: 1_000,
    currency: 'USD',
    description: 'Credits',
  };

  it.each([
    ['without a saved method', { saves: false, customerRef: null }],
    ['with a method to save', { saves: true, customerRef: null }],
    ['with a method to save for a known customer', { saves: true, customerRef: 'cus_1' }],
  ])('for a payment page %s are valid', async (_what, more) => {
    // Its answer is a fixed example, which is not of these terms.
    const request = { ...payment, ...more, returnUrl: 'https://market.example/console/wallet' };
    await stripe.checkout(request).catch(() => undefined);
    expect(statuses).toEqual(['POST /v1/checkout/sessions 200']);
  });

  it('for a payment with a saved method are valid', async () => {
    const saved = { customerRef: 'cus_1', methodRef: 'pm_1' };
    expect(await stripe.charge(payment, saved)).toMatchObject({ status: 'pending' });
    expect(statuses).toEqual(['POST /v1/payment_intents 200']);
  });

  it('for refunds, names and ends of methods are valid', async () => {
    await stripe.refund('pi_1', 500, 'key-1');
    expect((await stripe.methodFacts('pm_1')).label).toMatch(/\S/);
    await stripe.detach('pm_1');
    expect(statuses).toEqual([
      'POST /v1/refunds 200',
      'GET /v1/payment_methods/pm_1 200',
      'POST /v1/payment_methods/pm_1/detach 200',
    ]);
  });
});
