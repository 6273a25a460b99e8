/**
 * An agent that echoes its request would reveal its credential to buyers. The credential is therefore masked in an
 * answer before any code parses, validates, stores or delivers it. The agent's owner is notified.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AgentNoticeKind } from '../../../domain/catalogue/agent-notice';
import type { EgressStream } from '../../../egress/agent-call';
import { streamFormOf } from '../../../kit/streams/agent-stream';
import type { Secret } from '../../../kit/masking/masking';

/** How much of an error's body is checked, and for how long. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 500;
const STEP_BYTES = 128 * 1024;

export interface EchoGuard {
  /**
   * Returns the response with the credential masked. The body of an error response is read here, as nothing else does.
   */
  receive(stream: EgressStream): Promise<EgressStream>;
  /** The same for a response of an MCP server. The MCP client reads its errors. */
  receiveMcp(stream: EgressStream): EgressStream;
  /** Masks the credential in streamed pieces, also where it is split between pieces. */
  pieces(pieces: AsyncGenerator<string, Buffer, undefined>): AsyncGenerator<string, Buffer, undefined>;
}

/** `secret`: null for an agent without a credential. `tell` is called for everything that deserves a notice. */
export function createEchoGuard(
  secret: Secret | null,
  tell: (kind: AgentNoticeKind) => Promise<void>,
): EchoGuard {
  if (!secret)
    return { receive: async (stream) => stream, receiveMcp: (stream) => stream, pieces: (pieces) => pieces };
  const seen = (kind: AgentNoticeKind) => () => void tell(kind);
  return {
    async receive(stream) {
      if (stream.status === 200) return masked(stream, secret, seen(kindOf(stream)));
      const answer = masked(stream, secret, seen('credential_in_error'));
      await lookThrough(answer);
      return answer;
    },
    receiveMcp: (stream) => {
      return masked(
        stream,
        secret,
        seen(stream.status === 200 ? 'credential_in_mcp_answer' : 'credential_in_error'),
      );
    },
    pieces: (pieces) => maskPieces(pieces, secret, seen('credential_in_stream')),
  };
}

function kindOf(stream: EgressStream): AgentNoticeKind {
  return streamFormOf(stream.contentType) ? 'credential_in_stream' : 'credential_in_answer';
}

function masked(stream: EgressStream, secret: Secret, onFound: () => void): EgressStream {
  const inHead = (value: string) => {
    const clean = secret.mask(value);
    if (clean !== value) onFound();
    return clean;
  };
  return {
    status: stream.status,
    contentType: inHead(stream.contentType),
    header(name) {
      const value = stream.header(name);
      return value === undefined ? undefined : inHead(value);
    },
    body: maskBytes(stream.body, secret, onFound),
    close: stream.close,
  };
}

async function* maskBytes(
  body: AsyncIterable<Buffer>,
  secret: Secret,
  onFound: () => void,
): AsyncGenerator<Buffer, void, undefined> {
  const masker = secret.masker(onFound);
  for await (const chunk of body) {
    const bytes = masker.push(chunk);
    if (bytes.length > 0) yield bytes;
  }
  const rest = masker.end();
  if (rest.length > 0) yield rest;
}

/** Holds back text that may be the beginning of the credential until the next piece decides. */
async function* maskPieces(
  pieces: AsyncGenerator<string, Buffer, undefined>,
  secret: Secret,
  onFound: () => void,
): AsyncGenerator<string, Buffer, undefined> {
  const masker = secret.masker(onFound);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for (;;) {
      const next = await pieces.next();
      const bytes = next.done ? masker.end() : masker.push(Buffer.from(next.value));
      const text = decoder.decode(bytes, { stream: !next.done });
      if (text !== '') yield text;
      if (next.done) return await maskAll(next.value, secret);
    }
  } finally {
    await pieces.return(Buffer.alloc(0));
  }
}

/** Like `mask`, but in steps, so that a large answer does not block the event loop. */
async function maskAll(bytes: Buffer, secret: Secret): Promise<Buffer> {
  const masker = secret.masker();
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    if (at > 0) await nextTurn();
    parts.push(masker.push(bytes.subarray(at, at + STEP_BYTES)));
  }
  return Buffer.concat([...parts, masker.end()]);
}

/** Reads the beginning of an error body, only to detect the credential in it, and closes the response. */
async function lookThrough(stream: EgressStream): Promise<void> {
  const timer = setTimeout(stream.close, MAX_ERROR_MS);
  let bytes = 0;
  try {
    for await (const chunk of stream.body) {
      bytes += chunk.length;
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The connection broke; what was read has been checked.
  } finally {
    clearTimeout(timer);
    stream.close();
  }
}
