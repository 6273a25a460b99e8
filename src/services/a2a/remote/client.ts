/**
 * A2A client (ADR 0342): sends messages to the agents of developers, and asks about their tasks. A request is never
 * repeated by it. Everything that an agent sends is untrusted.
 */
import { randomInt } from 'node:crypto';
import { MarketError } from '../../../domain/errors';
import type { Egress } from '../../../egress/agent-call';
import { collect, type EgressStream } from '../../../egress/answer';
import { createHeldJson } from '../../../kit/json/held-json';
import { withLinkedFiles } from './linked-content';
import { agentFailure, OF_THE_MOMENT } from './parts';
import type { RemoteReply, RemoteTask } from './reply';
import { readRemoteStream } from './stream';
import type { RemoteLimits, RemoteTarget } from './target';
import { type Operation, type OutgoingMessage, requestOf } from './wire';

/** A reply that is no refusal. */
export type RemoteAnswer = Exclude<RemoteReply, { kind: 'refused' }>;

/** A message without its parts, which are JSON text. */
export type MessageWith = Omit<OutgoingMessage, 'parts'> & { parts: Buffer };

const MOST_REFUSAL_BYTES = 64 * 1024;
const INTERNAL_ERROR = -32_603;
const LARGEST_ID = 2 ** 31;

type Pieces = (text: string) => Buffer[];

/** Sends the request of an operation. Returns the response, and the id of a JSON-RPC request. */
async function open(
  egress: Egress,
  target: RemoteTarget,
  operation: Operation,
  limits: RemoteLimits,
  pieces: Pieces = (text) => [Buffer.from(text)],
): Promise<{ stream: EgressStream; id: number | undefined }> {
  const id = randomInt(LARGEST_ID);
  const request = requestOf(target.at, operation, id);
  const hasBody = request.body !== undefined;
  const body = hasBody ? Buffer.concat(pieces(JSON.stringify(request.body))) : Buffer.alloc(0);
  const { signal, deadlineMs, maxResponseBytes } = limits;
  const isMessage = 'message' in operation;
  const opening = egress.open({
    url: request.url,
    method: request.method,
    ...(hasBody && { body }),
    headers: {
      ...target.headers,
      ...target.sign(body, isMessage),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    signal,
    deadlineMs,
    maxResponseBytes,
    repeatable: !isMessage,
  });
  const stream = await opening.catch((error: unknown) => {
    target.onFailure(error);
    throw error;
  });
  if (isMessage) limits.onStatus?.(stream.status);
  return { stream: target.wrap(stream), id: target.at.binding === 'JSONRPC' ? id : undefined };
}

async function ask(...sending: Parameters<typeof open>): Promise<RemoteReply & { status: number }> {
  const [, target] = sending;
  const { stream, id } = await open(...sending);
  try {
    return { ...(await replyIn(target, stream, id)), status: stream.status };
  } finally {
    stream.close();
  }
}

/** Reads a response that is one document. */
async function replyIn(
  target: RemoteTarget,
  { status, body: chunks }: EgressStream,
  id: number | undefined,
): Promise<RemoteReply> {
  const isFine = status >= 200 && status < 300;
  const body = await collect(isFine ? chunks : firstBytes(chunks));
  if (isFine) return target.read(body, id);
  const reply = await target.read(body, id).catch(() => undefined);
  return reply?.kind === 'refused' ? reply : { kind: 'refused', code: null, message: null };
}

const isEvents = ({ contentType }: EgressStream): boolean =>
  /^text\/event-stream\s*(?:;|$)/i.test(contentType);

/** Asks about a task. The reply must be about it. */
async function askOf(
  egress: Egress,
  target: RemoteTarget,
  operation: Operation & { taskId: string },
  limits: RemoteLimits,
): Promise<RemoteReply & { status: number }> {
  const reply = await ask(egress, target, operation, limits);
  if (reply.kind === 'refused' && isOfTheMoment(reply)) throw new MarketError('agent_unreachable');
  if (reply.kind !== 'refused') requireTask(reply, operation.taskId);
  return reply;
}

/** The answer with the content of its files that are at the host of the agent. */
async function whole(
  egress: Egress,
  target: RemoteTarget,
  reply: RemoteAnswer,
  limits: RemoteLimits,
): Promise<RemoteAnswer> {
  if (reply.kind !== 'answer' || !reply.linked) return reply;
  const { json, linked, task } = reply;
  const files = await withLinkedFiles(egress, target, { json, linked }, limits);
  return { kind: 'answer', task, ...(await target.readWhole(files)) };
}

/**
 * Creates a client. Its methods throw `EgressError` (address, connection, deadline, size, abort), and
 * `MarketError('agent_error')` for all other failures of the agent. Those about a task throw `agent_unreachable` while
 * the agent does not speak of it for the moment.
 */
export function createRemoteAgents({ egress }: { egress: Egress }) {
  return {
    /** Sends a message: that of a call, or the answer to a question of a task. */
    async send(target: RemoteTarget, message: MessageWith, limits: RemoteLimits): Promise<RemoteAnswer> {
      const held = createHeldJson();
      const operation: Operation = { kind: 'send', message: { ...message, parts: held.hold(message.parts) } };
      const reply = await ask(egress, target, operation, limits, held.pieces);
      if (reply.kind === 'refused') throw refusalOf(reply);
      if (message.task) requireTask(reply, message.task.id);
      // The answer to a question is read when the task is asked about.
      return message.task ? reply : whole(egress, target, reply, limits);
    },

    /**
     * Sends a message, and yields the text of the answer as it comes. Returns how the stream ended: with an answer, or
     * with a task that is asked about then.
     */
    async *stream(
      target: RemoteTarget,
      message: MessageWith,
      limits: RemoteLimits,
      onTask: (task: RemoteTask) => void,
    ): AsyncGenerator<string, RemoteAnswer, undefined> {
      const held = createHeldJson();
      const operation: Operation = {
        kind: 'stream',
        message: { ...message, parts: held.hold(message.parts) },
      };
      const { stream, id } = await open(egress, target, operation, limits, held.pieces);
      try {
        const reply =
          stream.status === 200 && isEvents(stream)
            ? yield* readRemoteStream(stream, (data) => target.readEvent(data, id), onTask)
            : await replyIn(target, stream, id);
        if (reply.kind === 'refused') throw refusalOf({ ...reply, status: stream.status });
        return await whole(egress, target, reply, limits);
      } finally {
        stream.close();
      }
    },

    /** Asks for the state of a task, and for its answer if it is completed. */
    async read(target: RemoteTarget, taskId: string, limits: RemoteLimits): Promise<RemoteAnswer> {
      const reply = await askOf(egress, target, { kind: 'get', taskId }, limits);
      if (reply.kind === 'refused') throw refusalOf(reply);
      return whole(egress, target, reply, limits);
    },

    /** Cancels a task. One that has ended, or that the agent no longer knows, needs no cancellation. */
    async cancel(target: RemoteTarget, taskId: string, limits: RemoteLimits): Promise<void> {
      await askOf(egress, target, { kind: 'cancel', taskId }, limits);
    },
  };
}

export type RemoteAgents = ReturnType<typeof createRemoteAgents>;

function requireTask(reply: RemoteAnswer, taskId: string): void {
  const task: RemoteTask | null = reply.task;
  if (task && task.id !== taskId) throw agentFailure('it speaks of another task');
}

type Refusal = Extract<RemoteReply, { kind: 'refused' }> & { status: number };

const isOfTheMoment = ({ status, code }: Refusal): boolean =>
  OF_THE_MOMENT.has(status) || status >= 500 || code === INTERNAL_ERROR;

function refusalOf({ message, status, code }: Refusal): MarketError {
  const cause = new Error(`A2A: refused with ${status}, ${code}`);
  return new MarketError('agent_error', { agentMessage: message ?? undefined, cause });
}

async function* firstBytes(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    yield chunk;
    bytes += chunk.length;
    if (bytes > MOST_REFUSAL_BYTES) return;
  }
}
