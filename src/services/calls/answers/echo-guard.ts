/**
 * An agent that echoes its request would reveal its credential, its endpoint and our signature to buyers. They are
 * therefore masked in an answer before any code parses, validates, stores or delivers it. Text that the buyer's own
 * input contains is not masked: it reveals nothing, and a mask would confirm a guess. The agent's owner is notified.
 */
import { refusesRequest } from '../../../domain/calls/failure-facts';
import type { AgentNoticeKind } from '../../../domain/catalogue/agent-notice';
import type { EgressStream } from '../../../egress/answer';
import type { AnswerMasker, MaskPool } from '../../../kit/masking/mask-pool';
import {
  createHint,
  createSecret,
  type MaskerOptions,
  type Secret,
  type Texts,
} from '../../../kit/masking/masking';
import { streamFormOf } from '../../../kit/streams/agent-stream';

/** How much of an error's body is checked, and for how long. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 500;
/** Pieces of a stream do not wait for a shorter beginning of a host, path or signature. */
const LEAST_HELD = 4;
/** Content types that contain no secret. */
const PLAIN_TYPE = /^(?:application\/json|text\/event-stream|text\/plain)(?:; ?charset=utf-8)?$/i;

const JSON_TYPE = /^application\/(?:[\w.+-]{1,100}\+)?json\b/i;

const NO_BYTES = Buffer.alloc(0);
const ignore = () => undefined;

export interface EchoGuard {
  /**
   * Returns the response with the secrets masked. The body of an error response is read here, up to a limit. Only that
   * of a refusal of the request is kept.
   */
  receive(stream: EgressStream): Promise<EgressStream>;
  /**
   * The same for a response whose errors its client reads: of an MCP server, or an A2A agent. `kind`: the notice for a
   * credential in an answer.
   */
  receiveMessage(stream: EgressStream, kind: AgentNoticeKind): EgressStream;
  /** Masks the secrets in streamed pieces, also where they are split between pieces. */
  pieces(pieces: AsyncGenerator<string, Buffer, undefined>): AsyncGenerator<string, Buffer, undefined>;
}

/** What must not appear in the answers of a version. */
export interface AnswerSecrets {
  secret: Secret;
  /** The first texts of the secret belong to the credential; the others to the endpoint. */
  credentialTexts: number;
}

export interface EchoGuardDeps {
  pool: MaskPool;
  /** The tenant whose turn the masking uses: the agent's developer. */
  tenant: string;
  secrets: AnswerSecrets;
  /** The buyer's input. */
  input: Buffer;
  /** The signatures that were sent so far. */
  signatures: readonly string[];
  /** Called for everything that deserves a notice. */
  tell: (kind: AgentNoticeKind) => Promise<void>;
}

/** Creates a masker for one body; `kind` is the notice for a credential in it. */
type Open = (kind: AgentNoticeKind, options?: Omit<MaskerOptions, 'except'>) => Promise<AnswerMasker>;

export function createEchoGuard(deps: EchoGuardDeps): EchoGuard {
  const { pool, tenant, signatures } = deps;
  const { secret, credentialTexts } = deps.secrets;
  let known: Promise<Texts> | undefined;

  async function open(
    kind: AgentNoticeKind,
    options: Omit<MaskerOptions, 'except'> = {},
  ): Promise<AnswerMasker> {
    known ??= pool.textsIn(tenant, secret, deps.input);
    const found = (text: number) => {
      if (text < credentialTexts) void deps.tell(kind);
      else if (kind !== 'credential_in_error') void deps.tell('endpoint_in_answer');
    };
    const first = pool.masker(tenant, secret, found, { ...options, except: await known });
    return inTurn(
      first,
      onHint(signatures, () => pool.masker(tenant, createSecret(signatures), ignore)),
    );
  }

  return {
    async receive(stream) {
      if (stream.status === 200) {
        const contentType = await maskedType(stream.contentType, open);
        return withBody(stream, contentType, maskBytes(stream.body, open, kindOf(stream), isJson(stream)));
      }
      const isKept = refusesRequest(stream.status) && JSON_TYPE.test(stream.contentType);
      if (credentialTexts === 0 && !isKept) return stream;
      const masked = maskBytes(stream.body, open, 'credential_in_error', isKept);
      const bytes = await lookThrough(stream, masked);
      return isKept ? withBody(stream, stream.contentType, onceOf(bytes)) : stream;
    },
    receiveMessage: (stream, inAnswer) => {
      const kind = stream.status === 200 ? inAnswer : 'credential_in_error';
      return withBody(stream, stream.contentType, maskBytes(stream.body, open, kind, isJson(stream)));
    },
    pieces: (pieces) => {
      const leastHeld = credentialTexts > 0 ? 1 : LEAST_HELD;
      return maskPieces(pieces, open, leastHeld);
    },
  };
}

function kindOf(stream: EgressStream): AgentNoticeKind {
  return streamFormOf(stream.contentType) ? 'credential_in_stream' : 'credential_in_answer';
}

/** True for JSON and streams of it, which have members. */
function isJson({ contentType }: EgressStream): boolean {
  return JSON_TYPE.test(contentType) || streamFormOf(contentType) !== undefined;
}

function withBody(stream: EgressStream, contentType: string, body: EgressStream['body']): EgressStream {
  const { status, header, close } = stream;
  return { status, contentType, header: (name) => header(name), body, close: () => close() };
}

/** Masks from the first bytes on that look as if they contain one of the signatures. */
function onHint(signatures: readonly string[], open: () => AnswerMasker): AnswerMasker {
  const hints = signatures.map(createHint);
  let masker: AnswerMasker | undefined;
  return {
    async push(bytes) {
      if (!masker && hints.some((isIn) => isIn(bytes))) masker = open();
      return masker?.push(bytes) ?? bytes;
    },
    end: async () => masker?.end() ?? NO_BYTES,
    drop: () => masker?.drop(),
  };
}

/** Masks by `first`, and then by `second`. */
function inTurn(first: AnswerMasker, second: AnswerMasker): AnswerMasker {
  return {
    push: async (bytes) => second.push(await first.push(bytes)),
    end: async () => Buffer.concat([await second.push(await first.end()), await second.end()]),
    drop() {
      first.drop();
      second.drop();
    },
  };
}

async function maskedType(contentType: string, open: Open): Promise<string> {
  if (PLAIN_TYPE.test(contentType)) return contentType;
  return (await maskAll(Buffer.from(contentType), await open('credential_in_answer'))).toString();
}

async function maskAll(bytes: Buffer, masker: AnswerMasker): Promise<Buffer> {
  return Buffer.concat([await masker.push(bytes), await masker.end()]);
}

async function* maskBytes(
  body: AsyncIterable<Buffer>,
  open: Open,
  kind: AgentNoticeKind,
  isJson: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  const masker = await open(kind, { isJson });
  try {
    for await (const chunk of body) {
      const bytes = await masker.push(chunk);
      if (bytes.length > 0) yield bytes;
    }
    const rest = await masker.end();
    if (rest.length > 0) yield rest;
  } finally {
    masker.drop();
  }
}

/** Holds back text that may be the beginning of a secret until the next piece decides. */
async function* maskPieces(
  pieces: AsyncGenerator<string, Buffer, undefined>,
  open: Open,
  leastHeld: number,
): AsyncGenerator<string, Buffer, undefined> {
  const masker = await open('credential_in_stream', { leastHeld });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for (;;) {
      const next = await pieces.next();
      const bytes = next.done ? await masker.end() : await masker.push(Buffer.from(next.value));
      const text = decoder.decode(bytes, { stream: !next.done });
      if (text !== '') yield text;
      if (next.done) return await maskAll(next.value, await open('credential_in_stream'));
    }
  } finally {
    masker.drop();
    await pieces.return(Buffer.alloc(0));
  }
}

export async function* onceOf(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield await Promise.resolve(bytes);
}

/** Reads the beginning of an error body, to detect the credential in it, and closes the response. */
async function lookThrough(stream: EgressStream, body: AsyncIterable<Buffer>): Promise<Buffer> {
  const timer = setTimeout(stream.close, MAX_ERROR_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The connection broke; what was read has been checked.
  } finally {
    clearTimeout(timer);
    stream.close();
  }
  return bytes > MAX_ERROR_BYTES ? NO_BYTES : Buffer.concat(chunks);
}
