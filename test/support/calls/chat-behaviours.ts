/** How agents of chat tests speak: every form of an answer that is one, and every way to spoil it. */
import { type Behaviour, eventStream, lineStream } from '../agents/behaviours';

/** Forms of an agent's answer with their behaviour; each has the text "Hello world". */
export const FORMS: [string, Behaviour][] = [
  ['server-sent events', eventStream(['Hello ', { chunk: 'wor' }, 'ld'])],
  ['server-sent events and an output', eventStream(['Hello ', 'world', { output: { text: 'Hello world' } }])],
  ['lines of JSON', lineStream(['Hello ', { chunk: 'wor' }, 'ld'])],
  [
    'lines of JSON and an output',
    lineStream([{ chunk: 'Hello world' }, { output: { text: 'Hello world' } }]),
  ],
  ['an output only', eventStream([{ output: { text: 'Hello world' } }])],
  ['one document', { kind: 'answer', output: { text: 'Hello world' } }],
  [
    'events in strange framing',
    {
      kind: 'stream',
      contentType: 'Text/Event-Stream; charset=utf-8',
      parts: () => [
        ': hi\r\n\r',
        '\nda',
        'ta: "Hel',
        'lo "\r\n\r\nid: 7\rdata: {"chunk":\rdata: "world"}\r\r',
        'retry: 1\nfoo: bar\n\n',
      ],
    },
  ],
  [
    'lines in strange framing, with a character cut in two',
    {
      kind: 'stream',
      contentType: 'application/jsonl',
      parts: () => [Buffer.from([0x22, 0x48, 0xc3]), Buffer.from([0xa9]), '"\r\n\n  \n', '"llo world"'],
    },
  ],
];

const LONG = 'x'.repeat(1024 * 1024 + 10);
const line = (text: string) =>
  ({ kind: 'stream', contentType: 'application/x-ndjson', parts: () => [text] }) as const;
const events = (text: string) =>
  ({ kind: 'stream', contentType: 'text/event-stream', parts: () => [text] }) as const;
/** A line of so many megabytes. */
export function* megabytes(count: number) {
  yield 'data: "';
  for (let n = 0; n < count * 16; n += 1) yield Buffer.alloc(64 * 1024, 'x');
}
function* manyLines() {
  for (let n = 0; n < 200; n += 1) yield `data: "${'x'.repeat(64 * 1024)}"\n\n`;
}

/** Failures in the middle of a turn, with their behaviour and the code that ends the turn. */
export const FAILURES: [string, Behaviour, string][] = [
  ['the agent dies in the middle', { ...eventStream(['half']), then: 'dies' } as Behaviour, 'agent_error'],
  ['the agent falls silent', { ...eventStream(['half']), then: 'hangs' } as Behaviour, 'agent_timeout'],
  ['the agent fails', { kind: 'status', status: 500 }, 'agent_error'],
  ['the stream is empty', eventStream([]), 'agent_error'],
  ['the stream has empty pieces only', lineStream(['', { chunk: '' }]), 'agent_error'],
  [
    'the output does not match the schema',
    eventStream(['a', { output: { wrong: 'AGENT-SECRET-DETAIL' } }]),
    'output_schema_mismatch',
  ],
  ['the document does not match the schema', { kind: 'wrong_shape' }, 'output_schema_mismatch'],
  ['the agent forges our events', eventStream([{ type: 'done', usage: {} }]), 'agent_error'],
  [
    'the agent forges an error event',
    events('event: error\ndata: {"type":"error","error":{"code":"AGENT-SECRET-DETAIL"}}\n\n'),
    'agent_error',
  ],
  ['an item has another shape', lineStream([{ chunk: 'a', more: 1 }]), 'agent_error'],
  ['a chunk is no text', lineStream([{ chunk: 7 }]), 'agent_error'],
  ['something follows the output', eventStream([{ output: { text: 'a' } }, 'b']), 'agent_error'],
  ['an item is not JSON', events('data: [DONE]\n\n'), 'agent_error'],
  ['an item has a key twice', line('{"chunk":"a","chunk":"b"}\n'), 'agent_error'],
  ['an item is cut off', line('"a"\n{"chunk":"b'), 'agent_error'],
  [
    'the bytes are not UTF-8',
    { kind: 'stream', contentType: 'application/x-ndjson', parts: () => [Buffer.from([0x22, 0xff, 0x22])] },
    'agent_error',
  ],
  ['a line has more than 1 MiB', line(`"${LONG}"\n`), 'agent_error'],
  ['an event has more than 1 MiB', events(`data: "${LONG}"\n\n`), 'agent_error'],
  [
    'an event of many lines has more than 1 MiB',
    events(`${`data: ${' '.repeat(1_000)}\n`.repeat(1_100)}\n`),
    'agent_error',
  ],
  [
    'a line has 100 MB',
    { kind: 'stream', contentType: 'text/event-stream', parts: () => megabytes(100) },
    'agent_error',
  ],
  [
    'all of it has more than 10 MiB',
    { kind: 'stream', contentType: 'text/event-stream', parts: manyLines },
    'response_too_large',
  ],
];
