import { literalOf } from './python-literal.ts';

export interface Snippet {
  value: string;
  label: string;
  text: string;
  /** Where the text belongs, and what it needs. */
  note?: string;
}

export interface ShownCall {
  agentId: string;
  input: Record<string, unknown>;
  /** The most that the call may cost, in credits. */
  ceiling: number | undefined;
  /** The messages of a call whose answer is streamed; undefined for an answer that comes as a whole. */
  messages: readonly unknown[] | undefined;
  /** Where the reader found the marketplace. */
  origin: string;
  /** The reader's own key; undefined for a visitor, whose code reads it from the environment. */
  key: ShownKey | undefined;
}

/** A key as code shows it. */
export interface ShownKey {
  name: string;
  /** The secret, as long as the page knows it; else the end of it, which says which key belongs here. */
  text: string;
  isSecret: boolean;
}

/** What stands above the code of a key whose secret the page does not know. */
function keyComment(key: ShownKey | undefined, mark: string): string {
  if (key === undefined || key.isSecret) return '';
  return `${mark} ${key.text} is the key "${key.name.replaceAll(/\s+/g, ' ')}": put its secret here.\n`;
}

/** Code that calls an agent, in the languages that buyers use. */
export function snippetsOf(call: ShownCall): Snippet[] {
  return [
    { value: 'curl', label: 'curl', text: curlOf(call) },
    { value: 'typescript', label: 'TypeScript', text: typescriptOf(call) },
    { value: 'python', label: 'Python', text: pythonOf(call) },
    {
      value: 'cli',
      label: 'Command line',
      text: commandOf(call),
      note: `npm install -g ${call.origin}/downloads/agent-marketplace-cli.tgz installs the command.`,
    },
  ];
}

const indent = (text: string, by: string) => text.split('\n').join(`\n${by}`);
/** A word of a shell, whatever it contains. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const addressOf = ({ origin, agentId, messages }: ShownCall) =>
  `${origin}/v1/agents/${agentId}/${messages ? 'chat' : 'invoke'}`;

function bodyOf({ input, messages, ceiling }: ShownCall) {
  return {
    ...(messages ? { messages } : { input }),
    ...(ceiling === undefined ? {} : { max_cost_credits: Math.ceil(ceiling) }),
  };
}

function curlOf(call: ShownCall): string {
  const flags = call.messages ? '-sN' : '-s';
  const header = call.key ? quoted(`X-API-Key: ${call.key.text}`) : '"X-API-Key: $MARKET_API_KEY"';
  return `${keyComment(call.key, '#')}curl ${flags} ${addressOf(call)} \\
  -H ${header} \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify(bodyOf(call)))}`;
}

function typescriptOf(call: ShownCall): string {
  const key = call.key ? `'${call.key.text}'` : 'process.env.MARKET_API_KEY!';
  const request = `${keyComment(call.key, '//')}const response = await fetch('${addressOf(call)}', {
  method: 'POST',
  headers: {
    'X-API-Key': ${key},
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(), // the same key charges once
  },
  body: JSON.stringify(${indent(JSON.stringify(bodyOf(call), null, 2), '  ')}),
});
if (!response.ok) throw new Error((await response.json()).error.message);
`;
  if (!call.messages)
    return `${request}const { output, usage } = await response.json();
console.log(output, usage.credits_charged);`;
  return `${request}let rest = '';
for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split('\\n');
  rest = lines.pop()!;
  for (const line of lines.filter((one) => one.startsWith('data:'))) {
    const event = JSON.parse(line.slice(5));
    if (event.type === 'output_chunk') process.stdout.write(event.chunk);
    if (event.type === 'error') throw new Error(event.error.message);
    if (event.type === 'done') console.log('\\n', event.usage.credits_charged);
  }
}`;
}

function pythonOf(call: ShownCall): string {
  const key = call.key ? `"${call.key.text}"` : 'os.environ["MARKET_API_KEY"]';
  const request = `${keyComment(call.key, '#')}import json, ${call.key ? '' : 'os, '}urllib.request, uuid

body = ${literalOf(bodyOf(call))}
request = urllib.request.Request(
    "${addressOf(call)}",
    data=json.dumps(body).encode(),
    headers={
        "X-API-Key": ${key},
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),  # the same key charges once
    },
)
with urllib.request.urlopen(request) as response:
`;
  if (!call.messages)
    return `${request}    answer = json.load(response)
print(answer["output"], answer["usage"]["credits_charged"])`;
  return `${request}    for line in response:
        if not line.startswith(b"data:"):
            continue
        event = json.loads(line[5:])
        if event["type"] == "output_chunk":
            print(event["chunk"], end="", flush=True)
        elif event["type"] == "error":
            raise SystemExit(event["error"]["message"])
        elif event["type"] == "done":
            print("\\n", event["usage"]["credits_charged"])`;
}

function commandOf({ agentId, input, messages, ceiling, origin, key }: ShownCall): string {
  const last = messages?.at(-1) as { content?: unknown } | undefined;
  const said = typeof last?.content === 'string' ? last.content : undefined;
  const order =
    said === undefined
      ? `invoke ${agentId} ${quoted(JSON.stringify(input))}`
      : `chat ${agentId} ${quoted(said)}`;
  const most = ceiling === undefined ? '' : ` --max-cost ${Math.ceil(ceiling)}`;
  const own = key ? `MARKET_API_KEY=${quoted(key.text)} ` : '';
  return `${keyComment(key, '#')}${own}market ${order}${most} --api ${origin}`;
}
