/**
 * The HTTPS server that the demonstration agents share: `POST /invoke` with a JSON object, `GET /healthz`,
 * `POST /events` for webhooks, and `POST /ownership` for the challenge that proves whose host this is. It depends only
 * on the public contract of a call, so an agent can be written in any language. An agent whose work is an async
 * generator streams its pieces, one JSON value on a line.
 *
 * Environment: HOST (127.0.0.1), PORT (9443), TLS_CERT_FILE, TLS_KEY_FILE, and optionally SIGNING_SECRET (`whsec_…`,
 * shown to the owner of a published agent), which refuses calls that the marketplace has not signed.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { Webhook } from 'standardwebhooks';

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const STOP_WITHIN_MS = 5_000;

/** Thrown by an agent for an invalid input; the caller gets 422 with the message. */
export class InputError extends Error {}

/** What an agent returns for a call that it has taken as a job: the response is 202, and the answer comes later. */
export const LATER = Symbol('later');

/** An error response: a status and a message. */
class RequestError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Serves one agent until SIGTERM or SIGINT; running calls are finished first.
 *
 * @param {string} name
 * @param {(input: Record<string, unknown>, headers?: Record<string, string>) => unknown} work takes the input, gives
 *   the output, an async generator of its pieces or `LATER`, throws `InputError`
 * @param {{ takesJobs?: boolean }} options with jobs, `work` gets the headers of the call, too
 */
export function serve(name, work, { takesJobs = false } = {}) {
  const { HOST = '127.0.0.1', PORT = '9443', SIGNING_SECRET } = process.env;
  const verifier = SIGNING_SECRET ? new Webhook(SIGNING_SECRET) : undefined;
  const server = createServer(readCertificate(), (request, response) => {
    if (request.method === 'POST' && request.url === '/events') return acknowledge(request, response);
    answer(request, { work, takesJobs, verifier }).then(
      (output) => reply(response, output),
      (error) => sendError(response, error),
    );
  });
  server.on('error', (error) => {
    console.error(`${name}: ${error.message}`);
    process.exit(1);
  });
  server.listen(Number(PORT), HOST, () =>
    console.log(`${name} listens on https://${HOST}:${server.address().port}`),
  );
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop(server));
}

/** Takes the events of a webhook, of which these agents need none. */
function acknowledge(request, response) {
  request.resume().once('end', () => response.writeHead(204).end());
}

function readCertificate() {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = process.env;
  if (!TLS_CERT_FILE || !TLS_KEY_FILE) {
    console.error('TLS_CERT_FILE and TLS_KEY_FILE must name a certificate and its key (PEM).');
    process.exit(1);
  }
  return { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) };
}

async function answer(request, { work, takesJobs, verifier }) {
  if (request.method === 'GET' && request.url === '/healthz') return { status: 'ok' };
  const isChallenge = verifier && request.url === '/ownership';
  if (request.url !== '/invoke' && !isChallenge)
    throw new RequestError(404, 'There is only POST /invoke, POST /events and GET /healthz.');
  if (request.method !== 'POST') throw new RequestError(405, 'Use POST.');
  const body = await readBody(request);
  if (verifier && !isSigned(verifier, body, request.headers))
    throw new RequestError(401, 'The signature is not valid.');
  const input = parseObject(body);
  if (isChallenge) return { signature: signOwnership(verifier, input.challenge, request.headers) };
  return takesJobs ? work(input, request.headers) : work(input);
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new RequestError(413, `The input has more than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isSigned(verifier, body, headers) {
  try {
    verifier.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

/** The answer to a challenge: its signature, with the time of the request. */
function signOwnership(verifier, challenge, headers) {
  return verifier.sign(String(challenge), new Date(headers['webhook-timestamp'] * 1_000), 'ownership');
}

function parseObject(body) {
  let input;
  try {
    input = JSON.parse(body.toString('utf8'));
  } catch {
    throw new InputError('The body is not JSON.');
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InputError('The input must be a JSON object.');
  }
  return input;
}

function sendError(response, error) {
  if (error instanceof InputError) return send(response, 422, { error: { message: error.message } });
  if (error instanceof RequestError)
    return send(response, error.status, { error: { message: error.message } });
  console.error(error);
  return send(response, 500, { error: { message: 'The agent failed.' } });
}

async function reply(response, output) {
  if (output === LATER) return send(response, 202, { status: 'working' });
  if (typeof output?.[Symbol.asyncIterator] !== 'function') return send(response, 200, output);
  try {
    await stream(response, output);
  } catch (error) {
    if (response.headersSent) response.destroy(error);
    else sendError(response, error);
  }
}

/** Sends pieces as fast as the caller reads them, and ends the work when the caller leaves. */
async function stream(response, pieces) {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    if (!response.write(`${JSON.stringify(piece)}\n`))
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

function send(response, status, output) {
  const body = Buffer.from(JSON.stringify(output));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function stop(server) {
  server.close(() => process.exit(0));
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref();
}
