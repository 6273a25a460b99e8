import { useEffect, useState } from 'react';
import { keepChat, keptChat } from '../../client/kept-chats';
import type { ListingDetail } from '../listings/agent-code';
import { examplesOf, takesMessages } from '../listings/examples';
import type { Message } from './conversation';
import { draftOf } from './draft';

type Input = Record<string, unknown>;
export type InputView = 'chat' | 'form' | 'json';

/** The input of a call as it is written: as an object, and as the text that the JSON editor shows. */
export function useInput(listing: ListingDetail) {
  const chats = takesMessages(listing);
  const draft = draftOf(listing.agent_id);
  const [view, setView] = useState<InputView>(chats ? 'chat' : listing.input_schema ? 'form' : 'json');
  const [input, setInput] = useState<Input>(() => draft.read() ?? begun(listing));
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const { messages } = input;
  useEffect(() => {
    if (chats && isConversation(messages)) keepChat(listing.agent_id, messages);
  }, [chats, messages, listing.agent_id]);
  return {
    views: [...(chats ? ['chat'] : []), ...(listing.input_schema ? ['form', 'json'] : [])] as InputView[],
    view,
    setView,
    input,
    text,
    draft,
    /** Undefined while the text of the editor is not an object. */
    parsed: parse(text),
    set: (value: Input) => {
      setInput(value);
      setText(JSON.stringify(value, null, 2));
    },
    write: (next: string) => {
      setText(next);
      const value = parse(next);
      if (value) setInput(value);
    },
  };
}

/** An example, with the conversation that the tab has kept. */
function begun(listing: ListingDetail): Input {
  const messages = takesMessages(listing) ? keptChat(listing.agent_id) : undefined;
  return { ...examplesOf(listing)[0], ...(messages && { messages }) };
}

const isConversation = (value: unknown): value is Message[] =>
  Array.isArray(value) &&
  value.every((message: Partial<Message> | null) => typeof message?.content === 'string');

function parse(text: string): Input | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Input)
      : undefined;
  } catch {
    return undefined;
  }
}

export interface InputFieldsProps {
  listing: ListingDetail;
  state: ReturnType<typeof useInput>;
  /** Id of the form, whose button is outside of it. */
  form: string;
  onSubmit: (input: Record<string, unknown>) => void;
  /** What is wrong with the message of a chat. */
  problem: string | undefined;
}
