export interface Snippet {
  value: string;
  label: string;
  text: string;
  /** Where the text belongs, and what it needs. */
  note?: string;
}

const indent = (text: string, by: string) => text.split('\n').join(`\n${by}`);

/** Code that calls an agent, in the languages that buyers use. */
export function snippetsOf(agentId: string, input: unknown): Snippet[] {
  const origin = location.origin;
  const json = JSON.stringify({ input }, null, 2);
  const url = `${origin}/v1/agents/${agentId}/invoke`;
  return [
    {
      value: 'curl',
      label: 'curl',
      text: `curl -s ${url} \\\n  -H "X-API-Key: $MARKET_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ input }).replaceAll("'", `'\\''`)}'`,
    },
    {
      value: 'typescript',
      label: 'TypeScript',
      text: `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    'X-API-Key': process.env.MARKET_API_KEY!,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(), // the same key charges once
  },
  body: JSON.stringify(${indent(json, '  ')}),
});
if (!response.ok) throw new Error((await response.json()).error.message);
const { output, usage } = await response.json();
console.log(output, usage.credits_charged);`,
    },
    {
      value: 'python',
      label: 'Python',
      text: `import json, os, urllib.request, uuid

body = json.loads(r'''${JSON.stringify({ input })}''')
request = urllib.request.Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={
        "X-API-Key": os.environ["MARKET_API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),  # the same key charges once
    },
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(answer["output"], answer["usage"]["credits_charged"])`,
    },
  ];
}
