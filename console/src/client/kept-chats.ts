/**
 * The conversations of this tab, so that a reload does not lose them. Only the messages are kept, since other fields of
 * an input may hold secrets, and only until the account logs out.
 */
interface Message {
  role: string;
  content: string;
}

interface Chat {
  agentId: string;
  messages: Message[];
}

const NAME = 'chats';
const MOST_CHATS = 5;
/** The oldest messages of a longer conversation are left out. */
const MOST_CHARACTERS = 200_000;

/** The newest conversation comes first. Empty where the browser keeps nothing for the page. */
function readAll(): Chat[] {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? '[]') as Chat[];
  } catch {
    return [];
  }
}

/** The newest messages that are not too long together. */
function newestOf(messages: readonly Message[]): Message[] {
  let room = MOST_CHARACTERS;
  const first = messages.findLastIndex(({ content }) => (room -= content.length) < 0);
  return messages.slice(first + 1);
}

/** What is kept of a conversation; undefined if nothing is. */
export function keptChat(agentId: string): Message[] | undefined {
  return readAll().find((chat) => chat.agentId === agentId)?.messages;
}

/** Keeps a conversation, unless nothing is written in it. */
export function keepChat(agentId: string, messages: readonly Message[]): void {
  const others = readAll().filter((chat) => chat.agentId !== agentId);
  const kept = newestOf(messages);
  const chats = kept.some(({ content }) => content !== '')
    ? [{ agentId, messages: kept }, ...others]
    : others;
  try {
    sessionStorage.setItem(NAME, JSON.stringify(chats.slice(0, MOST_CHATS)));
  } catch {
    // Without room, a reload loses the conversation.
  }
}

export function forgetChats(): void {
  sessionStorage.removeItem(NAME);
}
