import { createHmac } from 'node:crypto';
import { newId } from '../../kit/ids/ids';

export interface ChatTurn {
  buyerUserId: string;
  agentId: string;
  /** What the client sent to go on with a conversation. */
  sessionId: string | undefined;
  idempotencyKey: string | undefined;
}

export interface ChatSession {
  /** The client's name of the conversation: what it sent, or a new one. */
  sessionId: string;
  /** The agent's name of it. */
  agentSessionId: string;
}

/**
 * Names of conversations (contract, "Chat"). What the agent sees is derived from the buyer, the agent and the client's
 * id under a secret: nobody goes on with another's conversation, and two agents cannot tell that they serve the same
 * one. A call with an idempotency key and no session id gets an id derived from the key, so that its repetition has
 * the same input.
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
