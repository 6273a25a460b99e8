/**
 * What agents call back about their jobs (ADR 0304): progress, questions, and the answer or the failure that ends one.
 */
import type { AskedQuestion } from '../../domain/jobs/question';
import { callAddress } from '../../domain/catalogue/manifest';
import { MarketError } from '../../domain/errors';
import { BoundedMap } from '../../kit/bounded-map';
import type { CallbackTokens } from '../../kit/crypto/callback-token';
import type { Cipher } from '../../kit/crypto/cipher';
import type { DbPool } from '../../stores/db';
import {
  type Added,
  addEnd,
  type Heard,
  noteHeard,
  readCalledBack,
  readNotified,
} from '../../stores/jobs/job-callbacks';
import {
  addProbeEnd,
  noteProbeHeard,
  noteProbeUnsigned,
  readProbeCalledBack,
  readProbeNotified,
} from '../../stores/jobs/probe-jobs';
import { createSigningSecretReader } from '../catalogue/signing-secret';
import type { ServingVersions } from '../catalogue/serving-version-cache';
import { answerLimit, LEAST_ANSWER_LIMIT } from '../calls/agent/agent-answer';
import { jobContext } from '../calls/agent/job-acceptance';
import type { JobPieces } from './job-pieces';
import { type JobQuestions, questionIdOf } from './job-questions';
import { ASKED_A_QUESTION } from './probe-jobs';

/** A callback whose signature and form are right. The message of an agent is untrusted text. */
export type Callback =
  | { type: 'progress'; progress: number; message: string | null }
  | { type: 'question'; question: AskedQuestion }
  | { type: 'failure'; message: string | null }
  /** `piece`: JSON text. */
  | { type: 'piece'; piece: Buffer }
  | { type: 'milestone'; name: string; piece: Buffer }
  /** `output`: the JSON text of the answer. */
  | { type: 'answer'; output: Buffer };

/** A callback with the id of its message. */
export type ReceivedCallback = Callback & { webhookId: string };

/** What is known of a call before its callback is read. */
export interface CallbackSender {
  developerUserId: string;
  /** The secrets that sign for the agent now. */
  secrets: string[];
}

export interface Received {
  /** The workflow of the job must look. */
  isNews: boolean;
  /** The id of the question that was asked. */
  questionId?: string;
}

export interface JobCallbacksDeps {
  questions: Pick<JobQuestions, 'ask'>;
  servingVersions: Pick<ServingVersions, 'byId'>;
  pool: DbPool;
  cipher: Cipher;
  pieces: Pick<JobPieces, 'add' | 'addToProbe'>;
  /** The tokens that come with the notifications of A2A agents. */
  notificationTokens: Pick<CallbackTokens, 'isValid'>;
}

/** Calls whose developers are remembered. */
const MAX_CALLS = 10_000;
/** Progress is rounded to such parts of the work: Postgres refuses numbers that are too small for its type. */
const PARTS = 10_000;

export function createJobCallbacks(deps: JobCallbacksDeps) {
  const { pool, cipher } = deps;
  const secretsOf = createSigningSecretReader(cipher);
  const developers = new BoundedMap<string, string>(MAX_CALLS);

  const seal = (invocationId: string, text: string | Buffer) =>
    cipher.seal(Buffer.from(text), jobContext(invocationId));

  const asks = createAsks(deps, seal);

  async function note(invocationId: string, report: ReceivedCallback & { type: 'progress' }): Promise<Heard> {
    const { webhookId, message } = report;
    const sealedMessage = message === null ? null : await seal(invocationId, message);
    const progress = Math.round(report.progress * PARTS) / PARTS;
    const outcome = await noteHeard(pool, invocationId, { webhookId, progress, sealedMessage });
    return outcome === 'unknown' ? noteProbeHeard(pool, invocationId, { webhookId, progress }) : outcome;
  }

  async function end(
    invocationId: string,
    callback: ReceivedCallback & { type: 'answer' | 'failure' },
  ): Promise<Added> {
    if (callback.type === 'answer') await requireRoom(deps, invocationId, callback.output.length);
    const body = callback.type === 'answer' ? callback.output : (callback.message ?? '');
    const sealedBody = await seal(invocationId, body);
    const added = { webhookId: callback.webhookId, kind: callback.type, sealedBody };
    const outcome = await addEnd(pool, invocationId, added);
    return outcome === 'unknown' ? addProbeEnd(pool, invocationId, added) : outcome;
  }

  return {
    ...createNotifications(deps, developers),

    /** The developer of a call, if this process has read it lately. It never changes. */
    developerOf: (invocationId: string): string | undefined => developers.use(invocationId),

    /** Reads who may sign callbacks for a call. Throws `not_found` if there is no such call. */
    async senderOf(invocationId: string): Promise<CallbackSender> {
      const called =
        (await readCalledBack(pool, invocationId)) ?? (await readProbeCalledBack(pool, invocationId));
      if (!called) throw new MarketError('not_found');
      developers.set(invocationId, called.developerUserId);
      return { developerUserId: called.developerUserId, secrets: await secretsOf(called) };
    },

    /** Notes that a callback was signed by no secret of the agent, for the report about a probe. */
    async refused(invocationId: string): Promise<void> {
      await noteProbeUnsigned(pool, invocationId);
    },

    /**
     * Stores a callback, encrypted. Returns whether the workflow of the job must look, and the id of a question. Throws
     * `invalid_state` if the call is over, `payload_too_large`, and `rate_limited` while much of its agent waits.
     */
    async receive(invocationId: string, callback: ReceivedCallback): Promise<Received> {
      if (callback.type === 'piece' || callback.type === 'milestone') {
        await addPiece(deps, invocationId, callback);
        return { isNews: false };
      }
      if (callback.type === 'question') {
        return { isNews: true, questionId: await asks.ask(invocationId, callback) };
      }
      const outcome =
        callback.type === 'progress' ? await note(invocationId, callback) : await end(invocationId, callback);
      return { isNews: isAdded(outcome) };
    },
  };
}

export type JobCallbacks = ReturnType<typeof createJobCallbacks>;

/** The notifications of A2A agents about their tasks (ADR 0362). */
function createNotifications(
  { pool, notificationTokens }: Pick<JobCallbacksDeps, 'pool' | 'notificationTokens'>,
  developers: Pick<BoundedMap<string, string>, 'set'>,
) {
  return {
    /** Whether a notification about the task of a call came from the agent that got its token. */
    isNotification: notificationTokens.isValid,

    /**
     * The developer of a call about whose task an agent notifies, and whether the call is a job. A probe is none, and
     * gets the same answer. Throws `not_found`, and `invalid_state` if the call is over.
     */
    async notified(invocationId: string): Promise<{ developerUserId: string; isJob: boolean }> {
      const call = (await readNotified(pool, invocationId)) ?? (await readProbeNotified(pool, invocationId));
      if (!call) throw new MarketError('not_found');
      const { developerUserId, state } = call;
      developers.set(invocationId, developerUserId);
      if (state === 'over') throw over();
      return { developerUserId, isJob: state === 'job' };
    },
  };
}

/** Whether the callback is news. Throws why it was refused. */
function isAdded(outcome: Heard | Added): boolean {
  if (outcome === 'unknown') throw new MarketError('not_found');
  if (outcome === 'over') throw over();
  if (outcome === 'full') throw full();
  return outcome === 'added';
}

/** A worker settles what waits within moments. */
const SETTLED_SECONDS = 5;

function full(): MarketError {
  return new MarketError('rate_limited', {
    message: 'Answers of this agent with 100 MiB wait for settlement. Repeat the callback.',
    retryAfterSeconds: SETTLED_SECONDS,
  });
}

function over(): MarketError {
  return new MarketError('invalid_state', {
    message: 'This call is over, or its answer or failure was called back before. Nothing was changed.',
  });
}

/** Throws `payload_too_large` for an answer that is larger than one of this agent that comes at once. */
async function requireRoom(
  { pool, servingVersions }: Pick<JobCallbacksDeps, 'pool' | 'servingVersions'>,
  invocationId: string,
  bytes: number,
): Promise<void> {
  if (bytes <= LEAST_ANSWER_LIMIT) return;
  const called = await readCalledBack(pool, invocationId);
  const limit = called && answerLimit(await servingVersions.byId(called.versionId));
  if (limit === undefined || bytes <= limit) return;
  throw new MarketError('payload_too_large', {
    message: `The output has ${bytes} bytes, and an answer of this agent has at most ${limit}.`,
  });
}

/** Keeps a piece of the answer. Pieces of probes are not kept. */
async function addPiece(
  { pieces }: Pick<JobCallbacksDeps, 'pieces'>,
  invocationId: string,
  callback: ReceivedCallback & { type: 'piece' | 'milestone' },
): Promise<void> {
  const { webhookId, piece } = callback;
  const given = { webhookId, piece, milestone: callback.type === 'milestone' ? callback.name : null };
  await pieces.add(invocationId, given).catch((error: unknown) => {
    if (!(error instanceof MarketError) || error.code !== 'not_found') throw error;
    return pieces.addToProbe(invocationId, given);
  });
}

type Seal = (invocationId: string, text: string | Buffer) => Promise<Buffer>;

/** The questions that agents call back. */
function createAsks(
  { pool, questions, servingVersions }: Pick<JobCallbacksDeps, 'pool' | 'questions' | 'servingVersions'>,
  seal: Seal,
) {
  /** A probe has no buyer who answers, so a question ends it. Its agent gets the answer that it gets about a call. */
  async function askProbe(invocationId: string, webhookId: string, question: AskedQuestion): Promise<string> {
    const sealedBody = await seal(invocationId, ASKED_A_QUESTION);
    const outcome = await addProbeEnd(pool, invocationId, { webhookId, kind: 'failure', sealedBody });
    if (outcome === 'unknown') throw new MarketError('not_found');
    if (outcome === 'over') throw over();
    return questionIdOf(question, webhookId);
  }

  /** Keeps a question. Throws `validation_failed` for an address of another origin. */
  async function ask(
    invocationId: string,
    { webhookId, question }: ReceivedCallback & { type: 'question' },
  ): Promise<string> {
    const called = await readCalledBack(pool, invocationId);
    if (!called) return askProbe(invocationId, webhookId, question);
    const { kind, endpointUrl } = await servingVersions.byId(called.versionId);
    return questions.ask(invocationId, question, {
      base: callAddress(kind, endpointUrl),
      messageId: webhookId,
    });
  }

  return { ask };
}
