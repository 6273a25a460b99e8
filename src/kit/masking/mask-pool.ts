/**
 * Masks large answers in a worker thread, so that they do not block the process. Tenants take turns, one piece of an
 * answer each, so that one tenant's large answers do not delay another's by more than a piece.
 */
import { Worker } from 'node:worker_threads';
import { workerFile } from '../threads/worker-file';
import { MarketError } from '../../domain/errors';
import { createFairSlots } from '../concurrency/fair-slots';
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
const PATIENCE_MS = 60_000;

interface Job {
  resolve(reply: MaskReply): void;
  reject(error: Error): void;
}

export function createMaskPool(logger: { warn(fields: object, message: string): void }): MaskPool {
  const thread = createThread(logger);
  const turns = createFairSlots({ slots: 1, patienceMs: PATIENCE_MS, late: tooLate });
  let lastStream = 0;

  const ask = (tenant: string, request: MaskRequest) => turns.run(tenant, () => thread.ask(request));

  function remote(tenant: string, secret: Secret, onFound: (text: number) => void, options: MaskerOptions) {
    lastStream += 1;
    const request = { op: 'mask' as const, stream: lastStream, texts: secret.texts, options };
    let begun: number | undefined;
    const send = async (bytes: { bytes?: Uint8Array }): Promise<Buffer> => {
      // A new worker does not know what the old one has held back.
      begun ??= thread.number();
      if (thread.number() !== begun) throw unavailable('the masking of an answer was interrupted');
      const reply = await ask(tenant, { ...request, ...bytes });
      reply.found.forEach(onFound);
      return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
    };
    return {
      push: (bytes: Buffer) => inSteps(bytes, (piece) => send({ bytes: new Uint8Array(piece) })),
      end: () => send({}),
      drop: () => thread.tell({ op: 'drop', stream: request.stream }),
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
      const { found } = await ask(tenant, { op: 'texts', texts: secret.texts, input: new Uint8Array(input) });
      return new Set(found);
    },

    close: thread.close,
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

function tooLate(): Error {
  return unavailable('too many large answers are being masked');
}

function unavailable(reason: string): Error {
  return new MarketError('engine_unavailable', { cause: new Error(reason) });
}

/** The worker thread. It starts with the first request; answers come in the order of the requests. */
function createThread(logger: { warn(fields: object, message: string): void }) {
  let worker: Worker | undefined;
  let isClosed = false;
  let jobs: Job[] = [];
  let starts = 0;

  function end(reason: string): void {
    const lost = jobs;
    jobs = [];
    worker = undefined;
    for (const job of lost) job.reject(unavailable(reason));
  }

  function start(): Worker {
    starts += 1;
    const thread = new Worker(workerFile(__dirname, 'mask-worker.js'), { env: {}, execArgv: [] });
    thread.unref();
    thread.on('message', (reply: MaskReply) => {
      const job = jobs.shift();
      if (jobs.length === 0) thread.unref();
      job?.resolve(reply);
    });
    thread.on('error', (error) => logger.warn({ err: error }, 'the masking of answers failed'));
    thread.on('exit', () => end('the masking of an answer was interrupted'));
    return thread;
  }

  const running = (): Worker => (worker ??= start());

  return {
    /** Number of the running worker, which differs from that of one that has ended. Starts a worker if none runs. */
    number(): number {
      if (!isClosed) running();
      return starts;
    },
    ask(request: MaskRequest): Promise<MaskReply> {
      if (isClosed) return Promise.reject(unavailable('the masking is closed'));
      return new Promise((resolve, reject) => {
        running().ref();
        jobs.push({ resolve, reject });
        running().postMessage(request);
      });
    },
    tell: (request: MaskRequest): void => worker?.postMessage(request),
    async close(): Promise<void> {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
