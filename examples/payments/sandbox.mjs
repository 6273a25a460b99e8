/**
 * The sandbox of `npm start -- --payments`: a local chain with a token like USDC, a facilitator of x402, and what the
 * marketplace uses of Stripe, on one HTTPS address. No money moves, and no network is needed.
 *
 * Environment: HOST, PORT, CHAIN_PORT, TLS_CERT_FILE, TLS_KEY_FILE, STATE_FILE, MARKET_URL, NETWORK, TREASURY,
 * STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { URLSearchParams } from 'node:url';
import { startChain } from './chain.mjs';
import { createFacilitator } from './facilitator.mjs';
import { createStripe } from './stripe.mjs';

const MOST_BYTES = 1024 * 1024;
const { HOST, PORT, CHAIN_PORT, TLS_CERT_FILE, TLS_KEY_FILE, STATE_FILE, NETWORK, TREASURY } = process.env;
const origin = `https://${HOST}:${PORT}`;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

const chain = await startChain({ port: CHAIN_PORT, stateFile: STATE_FILE, treasury: TREASURY });
const facilitator = createFacilitator(chain, NETWORK);
const stripe = createStripe({
  origin,
  marketUrl: process.env.MARKET_URL,
  secretKey: process.env.STRIPE_SECRET_KEY,
  webhookSecret: process.env.STRIPE_WEBHOOK_SECRET,
});

/** The answer to a request: its status, and a value that is sent as JSON, or a text that is sent as a page. */
async function answerOf(request, body) {
  const { pathname } = new URL(request.url, origin);
  const json = () => JSON.parse(body);
  const what = `${request.method} ${pathname}`;
  if (pathname.startsWith('/v1/'))
    return stripe.api({ method: request.method, path: pathname, headers: request.headers, body });
  const [, sessionId] = /^\/pay\/(\w+)$/.exec(pathname) ?? [];
  if (sessionId !== undefined && request.method === 'GET') return pageOf(stripe.page(sessionId));
  if (sessionId !== undefined) return moved(stripe.pay(sessionId, new URLSearchParams(body)));
  switch (what) {
    case 'POST /verify':
      return [200, await facilitator.verify(json())];
    case 'POST /settle':
      return [200, await facilitator.settle(json())];
    case 'GET /supported':
      return [200, facilitator.supported()];
    case 'POST /rpc':
      return [200, await chain.rpc(json())];
    case 'POST /faucet':
      return faucet(json());
    default:
      return [404, { error: 'no such path' }];
  }
}

/** Gives an address one USDC. */
async function faucet({ address }) {
  if (typeof address !== 'string' || !ADDRESS.test(address))
    return [422, { error: 'address: 0x and 40 digits' }];
  await chain.mint(address, 1_000_000n);
  return [200, { address, balance: String(await chain.balanceOf(address)) }];
}

const pageOf = (page) => (page === undefined ? [404, { error: 'no such page' }] : [200, page]);
const moved = (location) =>
  location === undefined ? [404, { error: 'no such page' }] : [303, '', { location }];

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const certificate = { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };
const server = createServer(certificate, (request, response) => {
  const answer = async () => {
    const [status, value, headers = {}] = await answerOf(request, await bodyOf(request));
    const type = typeof value === 'string' ? 'text/html; charset=utf-8' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
  answer().catch((error) => {
    console.error(error);
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal"}');
  });
});
server.listen(Number(PORT), HOST, () => console.log(`payments sandbox on ${origin}, token ${chain.asset}`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => chain.stop());
