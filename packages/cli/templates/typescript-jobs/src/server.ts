import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { InvalidInput, readInput } from './agent.js';
import { createJobs, type Jobs } from './jobs.js';

/** The marketplace sends inputs of at most 10 MiB. A longer body is refused before it is read to its end. */
const MOST_BODY_BYTES = 11 * 1024 * 1024;
/** A body must arrive within this time, so that slow callers hold no memory for long. */
const REQUEST_TIMEOUT_MS = 60_000;
/** The marketplace's secrets are base64 of 32 bytes. */
const SECRET_FORM = /^whsec_(?=.{32})(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The id of a call names the file of its job. */
const CALL_ID = /^[A-Za-z0-9_-]{1,100}$/;

/** A request that is answered with a status and a reason. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The HTTP side of the agent. The marketplace sends `POST /invoke` and signs each request with the secret of the agent by
 * Standard Webhooks; every other request is refused. A call that takes long is answered with 202, and its answer
 * is called back. TLS ends in front of this process.
 */
export function createAgentServer(secret: string, jobs: Jobs) {
  if (!SECRET_FORM.test(secret)) throw new Error('the signing secret is not of the form whsec_…');
  const webhook = new Webhook(secret);
  return createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    // A caller that leaves in the middle of a body ends its own request only.
    request.on('error', () => response.destroy());
    respond(request, webhook, jobs).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => sendError(response, error),
    );
  });
}

async function respond(
  request: IncomingMessage,
  webhook: Webhook,
  jobs: Jobs,
): Promise<{ status: number; body: unknown }> {
  if (request.url === '/health') return { status: 200, body: { status: 'ok' } };
  if (request.method !== 'POST' || request.url !== '/invoke') throw new Refusal(404, 'not found');
  const body = await readBody(request);
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    throw new Refusal(401, 'the signature is missing or wrong');
  }
  const id = String(request.headers['webhook-id']);
  const callbackUrl = request.headers['x-callback-url'];
  if (!CALL_ID.test(id)) throw new Refusal(400, 'the id of the call is not valid');
  if (typeof callbackUrl !== 'string')
    throw new Refusal(400, 'X-Callback-Url is missing: does the manifest declare jobs?');
  const output = await jobs.take({ id, callbackUrl, input: readInput(parse(body)) });
  return output === undefined ? { status: 202, body: { status: 'working' } } : { status: 200, body: output };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY_BYTES)
    throw new Refusal(413, 'the body is too long');
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BODY_BYTES) throw new Refusal(413, 'the body is too long');
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the body did not arrive');
  }
  return Buffer.concat(chunks).toString();
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new InvalidInput('the input is not JSON');
  }
}

function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) return send(response, error.status, { error: { message: error.message } });
  if (error instanceof InvalidInput) return send(response, 422, { error: { message: error.message } });
  console.error(error);
  send(response, 500, { error: { message: 'the agent failed' } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const { req: request } = response;
  const headers = { 'content-type': 'application/json' };
  // What is left of a body that was refused is not read.
  const rest = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, ...rest }).end(JSON.stringify(body), () => {
    if (!request.complete) request.destroy();
  });
}

if (process.argv[1]?.endsWith('server.js')) {
  const secret = process.env.MARKET_SIGNING_SECRET;
  if (!secret)
    throw new Error(
      'MARKET_SIGNING_SECRET is missing: market agents show __SLUG__ --json prints it as signing_secret',
    );
  const port = Number(process.env.PORT ?? 8080);
  const jobs = createJobs({ secret, folder: process.env.JOBS_FOLDER ?? 'jobs' });
  createAgentServer(secret, jobs).listen(port, process.env.HOST ?? '0.0.0.0', () =>
    console.log(`listening on port ${port}`),
  );
}
