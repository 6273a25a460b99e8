/**
 * A webhook receiver. Run node examples/webhooks/receive.mjs while `npm start` is running.
 *
 * Listens on https://127.77.0.9:9444 with a certificate of the local stack's authority (made with openssl), creates a
 * webhook for `credits.loaded` as the stack's buyer, tops up once, and prints the deliveries. Every receiver needs
 * `verify`; any Standard Webhooks library does the same.
 */
import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';

const HOST = process.env.RECEIVER_HOST ?? '127.77.0.9';
const PORT = 9444;
const TOLERANCE_SECONDS = 300;
const home = process.env.MARKET_HOME ?? '.market';
const runtime = JSON.parse(readFileSync(path.join(home, 'runtime.json'), 'utf8'));

/**
 * Returns the event. Throws when the signature is not valid or the event is too old. `body` must be the raw bytes.
 */
function verify(secret, headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(seconds)) < TOLERANCE_SECONDS)) throw new Error('too old');
  // Buffer.from decodes leniently: text that is no secret would be a key that can be guessed.
  if (!/^whsec_[A-Za-z0-9+/]{43}=$/.test(secret)) throw new Error('the secret is not of the form whsec_…');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
  // During a rotation there are two signatures; one valid signature is enough.
  const isOurs = signatures.split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs) throw new Error('not signed with our secret');
  return { id, ...JSON.parse(body.toString()) };
}

let secret;
let finish;
/** Ends the example: both events were delivered, in whichever order they came. */
const bothDelivered = new Promise((resolve) => (finish = resolve));
/** Ids of processed events, because a delivery can arrive twice. A real receiver stores them with its own data. */
const seen = new Set();

function take(request, body) {
  let event;
  try {
    event = verify(secret, request.headers, body);
  } catch (error) {
    console.log(`refused: ${error.message}`);
    return 400;
  }
  if (seen.has(event.id)) return 204;
  seen.add(event.id);
  console.log(`${event.type} ${JSON.stringify(event.data)}`);
  if (seen.size === 2) finish();
  return 204;
}

function certificate() {
  const folder = mkdtempSync(path.join(tmpdir(), 'receiver-'));
  const at = (name) => path.join(folder, name);
  const authority = ['-CA', path.join(home, 'tls/ca.pem'), '-CAkey', path.join(home, 'tls/ca-key.pem')];
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'ignore' });
  writeFileSync(at('extensions'), `subjectAltName=IP:${HOST}`);
  openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('key.pem'),
    '-out', at('csr.pem'), '-subj', `/CN=${HOST}`); // prettier-ignore
  openssl('x509', '-req', '-in', at('csr.pem'), ...authority, '-set_serial', String(Date.now()), '-days', '7',
    '-extfile', at('extensions'), '-out', at('cert.pem')); // prettier-ignore
  const pair = { key: readFileSync(at('key.pem')), cert: readFileSync(at('cert.pem')) };
  rmSync(folder, { recursive: true });
  return pair;
}

async function request(method, where, body, headers = {}) {
  const response = await fetch(runtime.api_url + where, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${JSON.stringify(answer.error)}`);
  return { answer, cookie: response.headers.getSetCookie()[0]?.split(';')[0] };
}

const server = createServer(certificate(), async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  // Respond at once and process afterwards: an attempt fails after 15 s.
  res.writeHead(take(req, Buffer.concat(chunks))).end();
});
server.listen(PORT, HOST);
await once(server, 'listening');

const { cookie } = await request('POST', '/v1/auth/login', runtime.accounts.buyer);
const url = `https://${HOST}:${PORT}/`;
const { answer: webhook } = await request(
  'POST',
  '/v1/webhooks',
  { url, types: ['credits.loaded'] },
  { cookie },
);
secret = webhook.secret;
console.log(`listening as ${webhook.webhook_id}`);
await request('POST', `/v1/webhooks/${webhook.webhook_id}/test`, undefined, { cookie });
const topUp = { cookie, 'idempotency-key': randomUUID() };
await request('POST', '/v1/billing/topup', { amountPaise: 100, currency: 'INR' }, topUp);
await bothDelivered;
const { answer: list } = await request('GET', `/v1/webhooks/${webhook.webhook_id}/deliveries`, undefined, {
  cookie,
});
console.log(`deliveries: ${list.total}`);
await request('DELETE', `/v1/webhooks/${webhook.webhook_id}`, undefined, { cookie });
server.close();
server.closeAllConnections();
