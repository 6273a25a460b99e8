import type { IncomingMessage, ServerResponse } from 'node:http';
import { realTime } from '../waits';

/** One request that a test agent got. */
export interface Delivery {
  /** `X-Invocation-Id`; empty when absent. */
  invocationId: string;
  /** Milliseconds since the epoch. */
  at: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** Port of the caller's side of the connection. */
  remotePort?: number | undefined;
  /** True once a complete answer has been handed to the network. */
  answered: boolean;
  /** When the exchange was over, answered or given up by the caller; milliseconds since the epoch. */
  closedAt?: number;
}

/** How a test agent answers. */
export type Behaviour =
  /** 200 and the input itself. */
  | { kind: 'echo' }
  /** The given value as JSON. */
  | { kind: 'answer'; output: unknown; status?: number; headers?: Record<string, string | string[]> }
  /** As `then` (default: echo), but only after so many milliseconds. */
  | { kind: 'slow'; ms: number; then?: Behaviour }
  /** As `then` (default: echo), but only when `until` resolves. */
  | { kind: 'waits'; until: Promise<unknown>; then?: Behaviour }
  /** An error status with a JSON body that must never reach a buyer. */
  | { kind: 'status'; status: number }
  /** 200 and a page. */
  | { kind: 'not_json' }
  /** 200 and JSON that does not match `testManifest`'s output schema. */
  | { kind: 'wrong_shape' }
  /** 200 and so many bytes; `announced` sends a content-length. */
  | { kind: 'huge'; bytes: number; announced?: boolean }
  /** 200, then one byte each `everyMs` for ever. */
  | { kind: 'trickle'; everyMs: number }
  /** 103 Early Hints each `everyMs` for ever. */
  | { kind: 'endless_hints'; everyMs: number }
  | { kind: 'redirect'; location: string; status?: number }
  /** Half of an answer, then the connection is reset. */
  | { kind: 'dies_mid_answer' }
  /** Reads the request, then the connection is reset. */
  | { kind: 'dies_before_answer' }
  /** Never answers. */
  | { kind: 'hangs' }
  /** So many extra headers of so many bytes each. */
  | { kind: 'many_headers'; count: number; bytes: number }
  /** A gzip answer, although identity was asked for. */
  | { kind: 'encoded'; body: Buffer; encoding: string }
  /** Bytes straight to the socket, then the connection ends, unless it `stays`. */
  | { kind: 'raw'; bytes: string; stays?: boolean }
  /** Bytes straight to the socket, then `then` again and again for ever, as fast as it is read or each `everyMs`. */
  | { kind: 'drips'; first: string; then: string; everyMs: number }
  /** Answers with the result of `act`, which does the agent's work, such as calling other agents. */
  | { kind: 'acts'; act: (delivery: Delivery) => Promise<Behaviour> }
  /** 200 and the parts as they come, as fast as they are read; then the end, a reset, or silence. */
  | { kind: 'stream'; contentType: string; parts: StreamParts; then?: 'end' | 'dies' | 'hangs' };

/** The pieces of a streaming agent, made for each delivery. */
export type StreamParts = (delivery: Delivery) => Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/** A behaviour, or a choice by what was delivered. */
export type BehaviourChoice = Behaviour | ((delivery: Delivery) => Behaviour);

type Step = (delivery: Delivery, response: ServerResponse) => void | Promise<void>;
type Steps = { [K in Behaviour['kind']]: (behaviour: Extract<Behaviour, { kind: K }>) => Step };

const STEPS: Steps = {
  echo:
    () =>
    ({ body }, response) =>
      sendJson(response, 200, body),
  answer:
    ({ output, status = 200, headers }) =>
    (_delivery, response) => {
      for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
      sendJson(response, status, Buffer.from(JSON.stringify(output)));
    },
  slow:
    ({ ms, then = { kind: 'echo' } }) =>
    async (delivery, response) => {
      await realTime(ms, 'the agent is slow', { ref: false });
      if (!response.destroyed) await behave(then, delivery, response);
    },
  waits:
    ({ until, then = { kind: 'echo' } }) =>
    async (delivery, response) => {
      await until;
      if (!response.destroyed) await behave(then, delivery, response);
    },
  status:
    ({ status }) =>
    (_delivery, response) =>
      sendJson(response, status, Buffer.from('{"error":"AGENT-SECRET-DETAIL"}')),
  not_json: () => (_delivery, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>AGENT-SECRET-DETAIL</html>');
  },
  wrong_shape: () => (_delivery, response) =>
    sendJson(response, 200, Buffer.from('{"unexpected":"AGENT-SECRET-DETAIL"}')),
  huge:
    ({ bytes, announced }) =>
    (_delivery, response) =>
      sendHuge(response, bytes, announced ?? false),
  trickle:
    ({ everyMs }) =>
    (_delivery, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      repeat(response, everyMs, () => response.write(' '));
    },
  endless_hints:
    ({ everyMs }) =>
    (_delivery, response) =>
      repeat(response, everyMs, () =>
        response.socket?.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
      ),
  redirect:
    ({ location, status = 302 }) =>
    (_delivery, response) => {
      response.writeHead(status, { location }).end();
    },
  dies_mid_answer: () => (_delivery, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
    response.write('{"text":"half of an ans', () => response.socket?.destroy());
  },
  dies_before_answer: () => (_delivery, response) => void response.socket?.destroy(),
  hangs: () => () => undefined,
  many_headers:
    ({ count, bytes }) =>
    ({ body }, response) => {
      for (let at = 0; at < count; at += 1) response.setHeader(`x-extra-${at}`, 'x'.repeat(bytes));
      sendJson(response, 200, body);
    },
  encoded:
    ({ body, encoding }) =>
    (_delivery, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
    },
  raw:
    ({ bytes, stays = false }) =>
    (_delivery, response) =>
      void (stays ? response.socket?.write(bytes) : response.socket?.end(bytes)),
  drips:
    ({ first, then, everyMs }) =>
    (_delivery, response) => {
      response.socket?.write(first);
      repeat(response, everyMs, () => response.socket?.writableNeedDrain || response.socket?.write(then));
    },
  acts:
    ({ act }) =>
    async (delivery, response) => {
      const next = await act(delivery);
      if (!response.destroyed) await behave(next, delivery, response);
    },
  stream:
    ({ contentType, parts, then = 'end' }) =>
    async (delivery, response) => {
      response.writeHead(200, { 'content-type': contentType });
      response.flushHeaders();
      for await (const part of parts(delivery)) {
        if (response.destroyed) return;
        if (!response.write(part)) await drained(response);
      }
      if (then === 'end') response.end();
      if (then !== 'dies') return;
      await realTime(100, 'what was written goes out first', { ref: false });
      response.socket?.destroy();
    },
};

/** Answers with server-sent events, one of each value, `everyMs` apart. */
export function eventStream(values: readonly unknown[], everyMs = 0): Behaviour {
  return streamOf('text/event-stream', (json) => `data: ${json}\n\n`, values, everyMs);
}

/** Answers with one line of JSON of each value, `everyMs` apart. */
export function lineStream(values: readonly unknown[], everyMs = 0): Behaviour {
  return streamOf('application/x-ndjson', (json) => `${json}\n`, values, everyMs);
}

function streamOf(
  contentType: string,
  frame: (json: string) => string,
  values: readonly unknown[],
  everyMs: number,
): Behaviour {
  async function* parts() {
    for (const value of values) {
      yield frame(JSON.stringify(value));
      if (everyMs > 0) await realTime(everyMs, 'events have a rate', { ref: false });
    }
  }
  return { kind: 'stream', contentType, parts };
}

/** Answers one delivery. */
export async function behave(
  behaviour: Behaviour,
  delivery: Delivery,
  response: ServerResponse,
): Promise<void> {
  const makeStep = STEPS[behaviour.kind] as (behaviour: Behaviour) => Step;
  await makeStep(behaviour)(delivery, response);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.destroyed) done();
  });
}

function sendJson(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function sendHuge(response: ServerResponse, bytes: number, announced: boolean): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(announced ? { 'content-length': bytes } : undefined),
  });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let left = bytes - 2;
  const next = (): void => {
    while (left > 0 && !response.destroyed) {
      const part = left >= chunk.length ? chunk : chunk.subarray(0, left);
      left -= part.length;
      if (!response.write(part)) return void response.once('drain', next);
    }
    response.end('"');
  };
  response.write('"');
  next();
}

function repeat(response: ServerResponse, everyMs: number, action: () => unknown): void {
  const timer = setInterval(() => {
    if (response.destroyed || response.socket?.destroyed !== false) clearInterval(timer);
    else action();
  }, everyMs).unref();
  response.once('close', () => clearInterval(timer));
}
