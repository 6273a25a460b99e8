import { createHmac } from 'node:crypto';
import { newId } from '../../kit/ids/ids';

export interface ChatTurn {
  buyerUserId: string;
  agentId: string;
  /** The session id that the client sent to continue a conversation. */
  sessionId: string | undefined;
  idempotencyKey: string | undefined;
}

export interface ChatSession {
  /** The client's id of the conversation: as sent, or a new one. */
  sessionId: string;
  /** The agent's id of the conversation. */
  agentSessionId: string;
}

/**
 * Ids of conversations (contract, "Chat"). The agent's id is derived from the buyer, the agent and the client's id with
 * a secret. No caller can therefore continue another buyer's conversation, and two agents cannot tell that they serve
 * the same one. A call with an idempotency key and without a session id gets an id derived from the key, so that
 * repeating it gives the same input.
 */
export function createChatSessions(secret: string) {
  const derive = (...parts: string[]) =>
    `ses_${createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
  return {
    of({ buyerUserId, agentId, sessionId, idempotencyKey }: ChatTurn): ChatSession {
      const fresh = () =>
        idempotencyKey === undefined
          ? newId('ses')
          : derive('chat-key', buyerUserId, agentId, idempotencyKey);
      const named = sessionId ?? fresh();
      return { sessionId: named, agentSessionId: derive('chat-session', buyerUserId, agentId, named) };
    },
  };
}

export type ChatSessions = ReturnType<typeof createChatSessions>;
