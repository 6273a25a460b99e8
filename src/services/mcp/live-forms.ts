/**
 * Forms of running tool calls that legacy clients are asked on their streams (ADR 0329). The answer comes as a request
 * of its own, to any API process, so another process passes it to the one that asked, sealed, by `NOTIFY`. Nothing is
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
}

interface LiveFormsDeps {
  pool: DbPool;
  /** Connections that keep their session, where `pool` is behind a pooler. */
  sessions?: DbPool;
  cipher: Pick<Cipher, 'seal' | 'unseal'>;
  logger: Logger;
}

export const FORM_ID_PATTERN = /^frm_[0-9a-f]{32}$/;

const contextOf = (formId: string, userId: string) => ({ purpose: 'mcp-form', form: formId, user: userId });

export function createLiveForms({ pool, sessions, cipher, logger }: LiveFormsDeps) {
  const pending = new Map<string, Pending>();

  const listener = createListener({
    pool: sessions ?? pool,
    channel: CHANNEL,
    onPayload: (payload) =>
      void receive(payload).catch((err: unknown) => logger.warn({ err }, 'an answer to a form is lost')),
    onFailure: (err) => logger.warn({ err }, 'cannot listen for answers to forms of other processes'),
  });

  async function receive(payload: string): Promise<void> {
    const [formId = '', sealed = ''] = payload.split(' ');
    const asked = pending.get(formId);
    if (!asked) return;
    const opened = await cipher.unseal(Buffer.from(sealed, 'base64'), contextOf(formId, asked.userId));
    settle(formId, JSON.parse(opened.toString()) as JsonObject);
  }

  function settle(formId: string, answer: JsonObject): void {
    pending.get(formId)?.resolve(answer);
    pending.delete(formId);
  }

  return {
    /** Sends a form by `send`, under a new id, and waits for its answer. It is cancelled when `over` aborts. */
    async ask(userId: string, send: (formId: string) => void, over: AbortSignal): Promise<JsonObject> {
      await listener.ensure();
      const formId = `frm_${randomUUID().replaceAll('-', '')}`;
      const answer = new Promise<JsonObject>((resolve) => pending.set(formId, { userId, resolve }));
      const cancel = () => settle(formId, { action: 'cancel' });
      over.addEventListener('abort', cancel, { once: true });
      try {
        send(formId);
        return await answer;
      } finally {
        over.removeEventListener('abort', cancel);
      }
    },

    /** Takes the answer of a client. One to a form of another account, or that is no longer asked, changes nothing. */
    async answer(userId: string, formId: string, answer: JsonObject): Promise<void> {
      const asked = pending.get(formId);
      if (asked) {
        if (asked.userId === userId) settle(formId, answer);
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

    stop(): void {
      listener.stop();
      for (const formId of pending.keys()) settle(formId, { action: 'cancel' });
    },
  };
}

export type LiveForms = ReturnType<typeof createLiveForms>;

/** The answer of a client as a server takes it: `content` only of an accepted form. */
export function formAnswerOf(result: unknown): JsonObject {
  const { action, content } = isRecord(result) ? result : {};
  if (action === 'accept') return { action, content: isRecord(content) ? content : {} };
  return { action: action === 'decline' ? 'decline' : 'cancel' };
}
