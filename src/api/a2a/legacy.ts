/**
 * A2A 0.3 over JSON-RPC. The library's compatibility layer translates each request for the handlers of 1.0, and their
 * answers back; this file writes the answers.
 */
import type { Request, RequestHandler, Response } from 'express';
import { Extensions } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, defaultServerCallContextBuilder, type User } from '@a2a-js/sdk/server';
import { RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { A2A_VERSION } from '../../domain/a2a/a2a-card';
import { asRecord } from '../../domain/json-value';
import { callerOf } from './caller';
import { rpcIdOf } from './envelope';
import { isLegacyMethod, legacyProblem, legacyRequest } from './legacy-form';

const EXTENSIONS = 'X-A2A-Extensions';
type Envelope = Exclude<
  Awaited<ReturnType<LegacyJsonRpcTransportHandler['handle']>>,
  AsyncGenerator<unknown, unknown, unknown>
>;
type Stream = AsyncGenerator<Envelope, void, undefined>;

/** Serves requests whose body is a JSON-RPC request. */
export function legacyRpcHandler(
  requestHandler: A2ARequestHandler,
  userOf: (req: Request) => User = callerOf,
): RequestHandler {
  const transport = new LegacyJsonRpcTransportHandler(requestHandler);
  return (req, res, next) => {
    const body = legacyRequest(asRecord(req.body));
    const id = rpcIdOf(body);
    const context = defaultServerCallContextBuilder({
      extensions: Extensions.parseServiceParameter(req.get(EXTENSIONS) ?? req.get('A2A-Extensions')),
      user: userOf(req),
      headers: req.headers,
      requestedVersion: '0.3',
    });
    const noteExtensions = () => {
      if (context.activatedExtensions) res.setHeader(EXTENSIONS, [...context.activatedExtensions]);
    };
    const answer = async () => {
      const refusal = refusalOf(body);
      if (refusal) return writeJson(res, failure(id, refusal));
      const reply = await transport.handle(body, context);
      if (!isStream(reply)) return writeJson(res, reply, noteExtensions);
      await writeStream(res, reply, {
        id,
        noteExtensions,
        isResumed: body['method'] === 'tasks/resubscribe',
      });
    };
    answer().catch(next);
  };
}

/** A method of 1.0 in a request without a version is refused for its version. */
function refusalOf(body: Record<string, unknown>): Error | undefined {
  if (/^[A-Z]/.test(String(body['method'])) && !isLegacyMethod(body))
    return new VersionNotSupportedError(
      `A request without a version is one of A2A 0.3, which has no method ${String(body['method']).slice(0, 100)}. ` +
        `For A2A 1.0, send the header A2A-Version: ${A2A_VERSION}.`,
    );
  const problem = legacyProblem(body);
  return problem === undefined ? undefined : new RequestMalformedError(problem);
}

function isStream(reply: Envelope | Stream): reply is Stream {
  return Symbol.asyncIterator in reply;
}

function failure(id: Envelope['id'], error: unknown): Envelope {
  return { jsonrpc: '2.0', id, error: LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(error) };
}

function writeJson(res: Response, envelope: Envelope, prepare?: () => void): void {
  prepare?.();
  res.statusCode = envelope.error instanceof Object && isVersion(envelope) ? 400 : 200;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(envelope));
}

const isVersion = ({ error }: Envelope) => error?.code === -32_009;

interface StreamOptions {
  id: Envelope['id'];
  noteExtensions: () => void;
  /** Clients of 0.3 read every answer to `tasks/resubscribe` as a stream, errors too. */
  isResumed: boolean;
}

/** A failure before the first event is one JSON document, unless the stream is resumed. */
async function writeStream(res: Response, stream: Stream, options: StreamOptions): Promise<void> {
  const { id, noteExtensions, isResumed } = options;
  try {
    for await (const event of stream) {
      if (!res.headersSent) beginStream(res, noteExtensions);
      const isLast = closesStream(event);
      res.write(`data: ${JSON.stringify(event)}\n\n`);
      if (isLast) break;
    }
  } catch (error) {
    if (!res.headersSent && !isResumed) return writeJson(res, failure(id, error), noteExtensions);
    if (!res.headersSent) beginStream(res, noteExtensions);
    res.write(`data: ${JSON.stringify(failure(id, error))}\n\n`);
  }
  if (!res.writableEnded) res.end();
}

function beginStream(res: Response, prepare: () => void): void {
  prepare();
  res.statusCode = 200;
  res.setHeader('Content-Type', 'text/event-stream');
  res.setHeader('Cache-Control', 'no-cache');
  res.setHeader('X-Accel-Buffering', 'no');
  res.flushHeaders();
}

/** In 0.3, a task that asks its caller ends the stream: its status is marked as the final one of this turn. */
function closesStream(event: Envelope): boolean {
  const result = asRecord(event.result);
  const asks = asRecord(result['status'])['state'] === 'input-required';
  if (asks && result['kind'] === 'status-update') result['final'] = true;
  return asks;
}
