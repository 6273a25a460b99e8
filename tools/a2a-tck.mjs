/**
 * Runs the a2a-tck, the compatibility tests of the A2A project, against an agent of a running market. The tests know no
 * credentials, so a front on this machine adds an API key, and shows the agent's card at its own address.
 *
 *     MARKET_API_KEY=… node tools/a2a-tck.mjs <checkout of a2aproject/a2a-tck> <agent id> [arguments of run_tck.py]
 *
 * PYTHON: an interpreter with the packages of the checkout; MARKET_URL: default http://127.0.0.1:3000. The tests let an
 * agent act by the id of a message. Agents of a market do not get it, so the front writes it over the text.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [checkout, agentId, ...args] = process.argv.slice(2);
const { MARKET_API_KEY: key, MARKET_URL: market = 'http://127.0.0.1:3000', PYTHON = 'python3' } = process.env;
if (!checkout || !agentId || !key) {
  console.error(
    'MARKET_API_KEY=… node tools/a2a-tck.mjs <checkout of a2aproject/a2a-tck> <agent id> [arguments]',
  );
  process.exit(2);
}
const base = `/v1/a2a/${agentId}`;
const PASSED = ['content-type', 'accept', 'a2a-version', 'a2a-extensions', 'if-none-match', 'last-event-id'];

const front = createServer((req, res) => {
  answer(req, res).catch((error) => {
    console.error(error);
    res.writeHead(502).end();
  });
});
await new Promise((resolve) => front.listen(Number(process.env.FRONT_PORT ?? 0), '127.0.0.1', resolve));
const own = `http://127.0.0.1:${front.address().port}`;
// The tests of 1.0 and those of 0.3 have different names for it.
const option = readFileSync(join(checkout, 'run_tck.py'), 'utf8').includes('--sut-host')
  ? '--sut-host'
  : '--sut-url';
const child = spawn(PYTHON, ['run_tck.py', option, own, ...args], { cwd: checkout, stdio: 'inherit' });
child.on('close', (code) => process.exit(code ?? 1));

async function answer(req, res) {
  const isCard = req.url === '/.well-known/agent-card.json';
  const headers = Object.fromEntries(
    PASSED.flatMap((name) => (req.headers[name] ? [[name, req.headers[name]]] : [])),
  );
  const hasBody = req.method !== 'GET' && req.method !== 'HEAD';
  const path = isCard ? base + req.url : req.url === '/' ? `${base}/rpc` : req.url;
  const response = await fetch(market + path, {
    method: req.method,
    headers: { ...headers, 'x-api-key': key },
    ...(hasBody && { body: withIds(await bodyOf(req)) }),
    redirect: 'manual',
  });
  const passed = [...response.headers].filter(
    ([name]) => !/^(?:transfer-encoding|connection|content-length)$/.test(name),
  );
  res.writeHead(response.status, Object.fromEntries(passed));
  if (isCard) return void res.end(atFront(await response.text()));
  for await (const chunk of response.body ?? []) res.write(chunk);
  res.end();
}

/** The card with the address of the front in place of the market's. */
const atFront = (card) => card.replaceAll(/https?:\/\/[^/"]+(?=\/v1\/a2a\/)/g, own);

async function bodyOf(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Writes the id of a message over its text, and makes the id unique: a message with the id of another one is the same
 * task here, and the tests use an id for several.
 */
function withIds(body) {
  try {
    const value = JSON.parse(body.toString());
    const { message } = value.params ?? value;
    for (const part of message.parts) if (typeof part.text === 'string') part.text = message.messageId;
    message.messageId += `-${randomUUID()}`;
    return JSON.stringify(value);
  } catch {
    return body;
  }
}
