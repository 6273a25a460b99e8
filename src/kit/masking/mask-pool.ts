/**
 * Masks large answers in a worker thread, so that they do not block the process. Tenants take turns, one piece of an
 * answer each, so that one tenant's large answers do not delay another's by more than a piece.
 */
import { MarketError } from '../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../threads/tenant-threads';
import { asBuffer, asMessage } from '../threads/thread-jobs';
import { workerFile } from '../threads/worker-file';
import type { MaskReply, MaskRequest } from './mask-worker';
import type { MaskerOptions, Secret, Texts } from './masking';

/** Masks a byte stream. Output can lag behind input. Pieces are pushed one after another. */
export interface AnswerMasker {
  push(bytes: Buffer): Promise<Buffer>;
  /** Returns the remaining bytes. No `push` may follow. */
  end(): Promise<Buffer>;
  /** Frees what a stream that is not read to its end has used. */
  drop(): void;
}

export interface MaskPool {
  /**
   * Creates a masker for an answer. Its first bytes are masked in this thread, the rest in the worker. `tenant`: whose
   * turn a piece uses. `onFound` is called once for each text that occurs.
   * The masker rejects with `engine_unavailable` when its turn does not come, or when the worker has failed.
   */
  masker(
    tenant: string,
    secret: Secret,
    onFound: (text: number) => void,
    options?: MaskerOptions,
  ): AnswerMasker;
  /** The texts of the secret that an input contains. */
  textsIn(tenant: string, secret: Secret, input: Buffer): Promise<Texts>;
  close(): Promise<void>;
}

/** So many bytes of an answer are masked without the worker: about 15 ms of this thread. */
const OWN_BYTES = 256 * 1024;
/** An input up to this length is searched without the worker. */
const OWN_INPUT_BYTES = 32 * 1024;
/** A longer secret is prepared in the worker only. */
const OWN_SECRET_LENGTH = 1_024;
/** The piece of one turn: about 5 ms. */
const STEP_BYTES = 128 * 1024;

const MASKING: ThreadKind<MaskRequest, MaskReply> = {
  name: 'masking',
  script: workerFile(__dirname, 'mask-worker.js'),
  threads: 1,
  memory: { maxOldGenerationSizeMb: 512 },
  // An input of 10 MiB takes 0.4 s. The rest allows for a loaded machine.
  deadlineMs: 20_000,
  startMs: 20_000,
  turns: { patienceMs: 60_000, late: () => unavailable('too many large answers are being masked') },
  // The call ends with `engine_unavailable`: a new thread does not know what the old one has held back.
  lost: ({ reason }) => {
    throw unavailable(reason === 'closed' ? 'the masking is closed' : 'the masking was interrupted');
  },
};

export function createMaskPool(logger: { warn(fields: object, message: string): void }): MaskPool {
  const threads = createTenantThreads({ ...MASKING, logger });
  let lastStream = 0;

  function remote(tenant: string, secret: Secret, onFound: (text: number) => void, options: MaskerOptions) {
    const session = threads.session(tenant);
    lastStream += 1;
    const request = { op: 'mask' as const, stream: lastStream, texts: secret.texts, options };
    const send = async (bytes: { bytes?: Uint8Array }): Promise<Buffer> => {
      const reply = await session.ask({ ...request, ...bytes });
      reply.found.forEach(onFound);
      return asBuffer(reply.bytes);
    };
    return {
      push: (bytes: Buffer) => inSteps(bytes, (piece) => send({ bytes: asMessage(piece) })),
      end: () => send({}),
      drop: () => session.tell({ op: 'drop', stream: request.stream }),
    };
  }

  return {
    masker(tenant, secret, onFound, options = {}) {
      const found = once(onFound);
      const begin = () => remote(tenant, secret, found, options);
      return isLong(secret) ? begin() : createTwoPartMasker(secret.masker(found, options), begin);
    },

    async textsIn(tenant, secret, input) {
      if (!isLong(secret) && input.length <= OWN_INPUT_BYTES) return secret.textsIn(input);
      const request = { op: 'texts', texts: secret.texts, input: asMessage(input) } as const;
      const { found } = await threads.ask(tenant, request);
      return new Set(found);
    },

    close: threads.close,
  };
}

/** Masks the beginning by `own`, and what follows by another masker, which begins with the bytes held back. */
function createTwoPartMasker(own: ReturnType<Secret['masker']>, begin: () => AnswerMasker): AnswerMasker {
  let taken = 0;
  let rest: AnswerMasker | undefined;
  return {
    async push(bytes) {
      if (rest) return rest.push(bytes);
      taken += bytes.length;
      if (taken <= OWN_BYTES) return own.push(bytes);
      rest = begin();
      return rest.push(Buffer.concat([own.leave(), bytes]));
    },
    end: async () => rest?.end() ?? own.end(),
    drop: () => rest?.drop(),
  };
}

async function inSteps(bytes: Buffer, mask: (piece: Buffer) => Promise<Buffer>): Promise<Buffer> {
  if (bytes.length <= STEP_BYTES) return mask(bytes);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    parts.push(await mask(bytes.subarray(at, at + STEP_BYTES)));
  }
  return Buffer.concat(parts);
}

function once(onFound: (text: number) => void): (text: number) => void {
  const told = new Set<number>();
  return (text) => {
    if (!told.has(text)) onFound(text);
    told.add(text);
  };
}

const isLong = ({ texts }: Secret) =>
  texts.reduce((length, text) => length + text.length, 0) > OWN_SECRET_LENGTH;

function unavailable(reason: string): Error {
  return new MarketError('engine_unavailable', { cause: new Error(reason) });
}
