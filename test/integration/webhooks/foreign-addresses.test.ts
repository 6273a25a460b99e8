/** An account gets one answer about an address that it names, whatever is behind the address (ADR 0195). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { startDns, type DnsRecord, type TestDns } from '../../support/agents/dns-server';
import { startHoneypot, type Honeypot } from '../../support/agents/test-agent';
import { authorizeAddress, openBrowser, pkce, resourceOf } from '../../support/accounts/oauth';
import {
  eventually,
  putLive,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { type DeliveryReply, postWebhook, type WebhookView } from '../../support/webhooks/webhooks';

/** The addresses of a name. A closed port and a server without TLS are at addresses that may be called. */
const BEHIND: Record<string, DnsRecord> = {
  private: ['10.0.0.5'],
  loopback: ['127.0.0.1'],
  cloud: ['169.254.169.254'],
  mixed: ['127.77.0.31', '10.0.0.5'],
  mapped: ['::ffff:10.0.0.5'],
  missing: 'missing',
  broken: 'fails',
  hanging: 'hangs',
  closed: ['127.77.0.31'],
  plain: ['127.77.0.30'],
};
const CALLABLE = ['closed', 'plain'];
const FORBIDDEN = Object.keys(BEHIND).filter((name) => !CALLABLE.includes(name));

let market: TestMarket;
let user: TestUser;
let dns: TestDns;
let inside: Honeypot;
let plain: Server;
let isOpen = true;

beforeAll(async () => {
  inside = await startHoneypot();
  plain = createServer((socket) => socket.destroy()).listen(inside.port, '127.77.0.30');
  await once(plain, 'listening');
  const flipping = Object.entries(BEHIND).flatMap(([name, record]) => [
    [`${name}.fixtures.example`, record] as const,
    // The first lookup gives a public address, later ones the address of the name.
    [`later-${name}.fixtures.example`, () => (isOpen ? ['127.77.0.31'] : record)] as const,
  ]);
  dns = await startDns(Object.fromEntries(flipping));
  market = await startMarket({ env: { EGRESS_DNS_SERVERS: dns.address } });
  user = await register(market, 'buyer');
});
afterAll(async () => {
  await market.stop();
  await dns.stop();
  await inside.stop();
  plain.close();
});

const hookAt = (name: string) => `https://${name}.fixtures.example:${inside.port}/hook`;
const post = (url: string) => postWebhook(market, user, { url, types: ['credits.loaded'] });

it('refuses a webhook in the same words, whether its name is private, missing or without an answer', async () => {
  const made = await post(hookAt('closed'));
  expect(made.status).toBe(201);
  const creations = await Promise.all(FORBIDDEN.map((name) => post(hookAt(name))));
  const changes = await Promise.all(
    FORBIDDEN.map((name) =>
      request<WebhookView>(market, user, 'PATCH', `/v1/webhooks/${made.body.webhook_id}`, {
        url: hookAt(name),
      }),
    ),
  );
  const said = [...creations, ...changes].map(({ status, body }) => [status, body.error, body.detail]);
  expect(said[0]).toEqual([
    422,
    expect.objectContaining({ code: 'unsafe_url' }),
    [
      {
        loc: ['body', 'url'],
        msg: expect.stringContaining('(url_host_not_public)') as string,
        type: 'unsafe_url',
      },
    ],
  ]);
  expect(said).toEqual(Array(said.length).fill(said[0]));
  expect(inside.connections()).toBe(0);
});

it('shows the owner one code for each attempt that reached no server', async () => {
  isOpen = true;
  const names = Object.keys(BEHIND);
  const hooks = await Promise.all(names.map((name) => post(hookAt(`later-${name}`))));
  expect(hooks.map(({ status }) => status)).toEqual(names.map(() => 201));
  isOpen = false;
  const attempts = await Promise.all(
    hooks.map(async ({ body: { webhook_id: id } }) => {
      await request(market, user, 'POST', `/v1/webhooks/${id}/test`);
      let seen: DeliveryReply | undefined;
      await eventually(async () => {
        const list = await request<{ items: DeliveryReply[] }>(
          market,
          user,
          'GET',
          `/v1/webhooks/${id}/deliveries`,
        );
        seen = list.body.items[0];
        return (seen?.attempts.length ?? 0) > 0;
      }, 30_000);
      const [attempt] = seen?.attempts ?? [];
      return [seen?.status, attempt?.status, attempt?.error];
    }),
  );
  expect(attempts).toEqual(names.map(() => ['pending', null, 'unreachable']));
  expect(inside.connections()).toBe(0);
});

it('shows one consent page, after one time, for a client document that it cannot fetch', async () => {
  isOpen = true;
  const developer = await register(market, 'developer');
  const { agentId } = await putLive(market, developer.userId, 'https://127.77.0.31:9443/', { credits: 1 });
  const pages = await Promise.all(
    Object.keys(BEHIND).map(async (name) => {
      const client = { clientId: `${hookAt(name)}.json`, redirectUri: 'https://chat.example/callback' };
      const address = authorizeAddress(client, resourceOf(market, agentId), pkce().challenge);
      const beganAt = performance.now();
      const { status, html } = await openBrowser(market, user.cookie).open(address);
      return [status, html, performance.now() - beganAt > 2_900];
    }),
  );
  expect(pages[0]).toEqual([
    400,
    expect.stringContaining('The client metadata document cannot be read.'),
    true,
  ]);
  expect(pages).toEqual(Array(pages.length).fill(pages[0]));
  expect(inside.connections()).toBe(0);
});
