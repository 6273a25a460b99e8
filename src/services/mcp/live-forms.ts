/**
 * Forms of running tool calls. Legacy clients are asked on their streams (ADR 0329); modern clients get the form as the
 * answer to their request, and the next one as the answer to another request (ADR 0284). Such requests, and answers,
 * come to any API process, which passes them to the one that asks, and forms back, sealed, by `NOTIFY`. Nothing is
 * stored: a form that is not answered in the time of its call fails the call.
 */
import { randomUUID } from 'node:crypto';
import { MarketError } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { createListener, notify } from '../../stores/listener';
import type { JsonObject } from './protocol';

const CHANNEL = 'mcp_form';
/** A notification of Postgres has less than 8,000 bytes; sealing and base64 need the rest. */
const MOST_ANSWER_BYTES = 4_096;

interface Pending {
  userId: string;
  resolve: (answer: JsonObject) => void;
  /** Of a form that waits for a request of its client. */
  held?: { invocationId: string; form: JsonObject };
}

/** A form of a running call, for its client. */
export interface HeldForm {
  formId: string;
  form: JsonObject;
}

/** A request of a client that waits for the next form of a call. */
interface Waiter {
  userId: string;
  invocationId: string;
  /** Forms that were answered before. */
  except: ReadonlySet<string>;
  offer: (form: HeldForm) => void;
}

/** What another process wants to know, and tells: which form a call asks. */
const WHICH = '?';
const ASKED = '!';

interface LiveFormsDeps {
  pool: DbPool;
  /** Connections that keep their session, where `pool` is behind a pooler. */
  sessions?: DbPool;
  cipher: Pick<Cipher, 'seal' | 'unseal'>;
  logger: Logger;
}

export const FORM_ID_PATTERN = /^frm_[0-9a-f]{32}$/;

const contextOf = (formId: string, userId: string) => ({ purpose: 'mcp-form', form: formId, user: userId });
const askedContext = (invocationId: string, userId: string) => ({
  purpose: 'mcp-form-asked',
  call: invocationId,
  user: userId,
});

/** The forms that this process asks. */
function createPending(ensure: () => Promise<void>) {
  const pending = new Map<string, Pending>();

  function settle(formId: string, answer: JsonObject): void {
    pending.get(formId)?.resolve(answer);
    pending.delete(formId);
  }

  return {
    settle,
    get: (formId: string) => pending.get(formId),
    settleAll(answer: JsonObject): void {
      for (const formId of pending.keys()) settle(formId, answer);
    },

    /** Sends a form under a new id, and waits for its answer. It is cancelled when `over` aborts. */
    async ask(
      asked: Omit<Pending, 'resolve'>,
      send: (formId: string) => void,
      over: AbortSignal,
    ): Promise<JsonObject> {
      await ensure();
      const formId = `frm_${randomUUID().replaceAll('-', '')}`;
      const answer = new Promise<JsonObject>((resolve) => pending.set(formId, { ...asked, resolve }));
      const cancel = () => settle(formId, { action: 'cancel' });
      over.addEventListener('abort', cancel, { once: true });
      if (over.aborted) cancel();
      try {
        send(formId);
        return await answer;
      } finally {
        over.removeEventListener('abort', cancel);
      }
    },

    /** The form of a call that waits for a request of its client, with its account. */
    heldBy(invocationId: string): (HeldForm & { userId: string }) | undefined {
      for (const [formId, { userId, held }] of pending)
        if (held?.invocationId === invocationId) return { formId, form: held.form, userId };
      return undefined;
    },
  };
}

/** The requests of this process that wait for a form. */
function createWaiters() {
  const waiters = new Set<Waiter>();
  return {
    of: (invocationId: string) => [...waiters].filter((waiter) => waiter.invocationId === invocationId),

    /** Waits until a form is offered; undefined when `over` aborts. `begin` is called with the waiter. */
    async wait(
      who: Omit<Waiter, 'offer'>,
      over: AbortSignal,
      begin: (waiter: Waiter) => Promise<void>,
    ): Promise<HeldForm | undefined> {
      let leave = (): void => undefined;
      let waiter: Waiter | undefined;
      try {
        return await new Promise<HeldForm | undefined>((resolve, reject) => {
          leave = () => resolve(undefined);
          over.addEventListener('abort', leave, { once: true });
          if (over.aborted) leave();
          const offer = (form: HeldForm) => void (who.except.has(form.formId) || resolve(form));
          waiter = { ...who, offer };
          waiters.add(waiter);
          begin(waiter).catch(reject);
        });
      } finally {
        over.removeEventListener('abort', leave);
        if (waiter) waiters.delete(waiter);
      }
    },
  };
}

/** Passes forms of calls, and answers, between processes. A large form is answered in its own process alone. */
function createMessages({ pool, cipher }: Pick<LiveFormsDeps, 'pool' | 'cipher'>, known: Known) {
  const { pending, waiters } = known;

  async function announce(invocationId: string): Promise<void> {
    const held = pending.heldBy(invocationId);
    if (!held) return;
    const { userId, ...form } = held;
    const plain = Buffer.from(JSON.stringify(form));
    if (plain.length > MOST_ANSWER_BYTES) return;
    const sealed = await cipher.seal(plain, askedContext(invocationId, userId));
    await notify(pool, CHANNEL, `${ASKED} ${invocationId} ${sealed.toString('base64')}`);
  }

  async function hear(invocationId: string, sealed: string): Promise<void> {
    for (const { userId, offer } of waiters.of(invocationId)) {
      const opened = await cipher.unseal(Buffer.from(sealed, 'base64'), askedContext(invocationId, userId));
      offer(JSON.parse(opened.toString()) as HeldForm);
    }
  }

  return {
    announce,

    async receive(payload: string): Promise<void> {
      const [formId = '', sealed = '', more = ''] = payload.split(' ');
      if (formId === WHICH) return announce(sealed);
      if (formId === ASKED) return hear(sealed, more);
      const asked = pending.get(formId);
      if (!asked) return;
      const opened = await cipher.unseal(Buffer.from(sealed, 'base64'), contextOf(formId, asked.userId));
      pending.settle(formId, JSON.parse(opened.toString()) as JsonObject);
    },

    async answer(userId: string, formId: string, answer: JsonObject): Promise<void> {
      const asked = pending.get(formId);
      if (asked) {
        if (asked.userId === userId) pending.settle(formId, answer);
        return;
      }
      const plain = Buffer.from(JSON.stringify(answer));
      if (plain.length > MOST_ANSWER_BYTES)
        throw new MarketError('payload_too_large', {
          message: `An answer to a form may have at most ${MOST_ANSWER_BYTES} bytes.`,
        });
      const sealed = await cipher.seal(plain, contextOf(formId, userId));
      await notify(pool, CHANNEL, `${formId} ${sealed.toString('base64')}`);
    },
  };
}

interface Known {
  pending: ReturnType<typeof createPending>;
  waiters: ReturnType<typeof createWaiters>;
}

export function createLiveForms({ pool, sessions, cipher, logger }: LiveFormsDeps) {
  const listener = createListener({
    pool: sessions ?? pool,
    channel: CHANNEL,
    onPayload: (payload) =>
      void receive(payload).catch((err: unknown) => logger.warn({ err }, 'an answer to a form is lost')),
    onFailure: (err) => logger.warn({ err }, 'cannot listen for answers to forms of other processes'),
  });
  const pending = createPending(() => listener.ensure());
  const waiters = createWaiters();
  const { announce, receive, answer } = createMessages({ pool, cipher }, { pending, waiters });

  /** The form that a call of this process asks the account. */
  function heldBy(userId: string, invocationId: string): HeldForm | undefined {
    const held = pending.heldBy(invocationId);
    return held?.userId === userId ? { formId: held.formId, form: held.form } : undefined;
  }

  return {
    heldBy,

    /** Sends a form by `send`, under a new id, and waits for its answer. It is cancelled when `over` aborts. */
    ask: (userId: string, send: (formId: string) => void, over: AbortSignal): Promise<JsonObject> =>
      pending.ask({ userId }, send, over),

    /** Keeps a form of a call until a request of its client comes for it, and waits for its answer. */
    hold(userId: string, held: NonNullable<Pending['held']>, over: AbortSignal): Promise<JsonObject> {
      const { invocationId, form } = held;
      const show = (formId: string) => {
        const here = waiters.of(invocationId).filter((waiter) => waiter.userId === userId);
        for (const waiter of here) waiter.offer({ formId, form });
        if (here.length > 0) return;
        announce(invocationId).catch((err: unknown) => logger.warn({ err }, 'a form is not announced'));
      };
      return pending.ask({ userId, held }, show, over);
    },

    /**
     * Waits for the next form of a call, but those of `except`; undefined when `over` aborts. `isOwner`: the call runs
     * in this process, so no other one is asked.
     */
    next(
      { userId, invocationId }: Pick<Waiter, 'userId' | 'invocationId'>,
      over: AbortSignal,
      { except = NONE, isOwner = false }: { except?: ReadonlySet<string>; isOwner?: boolean } = {},
    ): Promise<HeldForm | undefined> {
      return waiters.wait({ userId, invocationId, except }, over, async ({ offer }) => {
        const held = heldBy(userId, invocationId);
        if (held) return offer(held);
        if (isOwner) return;
        await listener.ensure();
        await notify(pool, CHANNEL, `${WHICH} ${invocationId}`);
      });
    },

    /** Takes the answer of a client. One to a form of another account, or that is no longer asked, changes nothing. */
    answer,

    stop(): void {
      listener.stop();
      pending.settleAll({ action: 'cancel' });
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

export type LiveForms = ReturnType<typeof createLiveForms>;

/** The answer of a client as a server takes it: `content` only of an accepted form. */
export function formAnswerOf(result: unknown): JsonObject {
  const { action, content } = isRecord(result) ? result : {};
  if (action === 'accept') return { action, content: isRecord(content) ? content : {} };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}
