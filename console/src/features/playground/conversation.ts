export interface Message {
  role: string;
  content: string;
}

type Input = Record<string, unknown>;

const isObject = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The messages that a form shows: those of the input, and one to write when the last one is not the buyer's. */
export function writtenMessages(input: Input): Message[] {
  const messages = Array.isArray(input['messages']) ? (input['messages'] as Message[]) : [];
  return messages.at(-1)?.role === 'user' ? messages : [...messages, { role: 'user', content: '' }];
}

/** The text of an answer: that of a stream, of its `text`, or the whole as JSON. */
export function textOfAnswer(streamed: string, output: unknown): string {
  if (streamed !== '') return streamed;
  if (typeof output === 'string') return output;
  if (isObject(output) && typeof output['text'] === 'string') return output['text'];
  return JSON.stringify(output, null, 2) ?? '';
}

/** The input of the next turn: the conversation so far with the answer, as far as the agent takes answers. */
export function nextTurn(schema: Input | null, input: Input, answer: string): Input {
  const kept: Message[] = takesAnswers(schema)
    ? [...writtenMessages(input), { role: 'assistant', content: answer }]
    : [];
  return { ...input, messages: [...kept, { role: 'user', content: '' }] };
}

function takesAnswers(schema: Input | null): boolean {
  let found: unknown = schema;
  for (const name of ['properties', 'messages', 'items', 'properties', 'role'])
    found = isObject(found) ? found[name] : undefined;
  const roles = isObject(found) ? found['enum'] : undefined;
  return !Array.isArray(roles) || roles.includes('assistant');
}
