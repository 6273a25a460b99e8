const MAX_EVENT_LENGTH = 12 * 1024 * 1024;

/** One server-sent event: its `data` lines, and its `id` and name where it has them. */
export interface ServerEvent {
  id?: string;
  name?: string;
  data: string;
}

/** Splits a stream of server-sent events. Comment lines are left out. Throws for an event above 12 MiB. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, '\n');
      if (rest.length > MAX_EVENT_LENGTH) throw new Error('an event of the stream is longer than 12 MiB');
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parse(block: string): ServerEvent | undefined {
  const lines = block.split('\n');
  const valuesOf = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  const data = valuesOf('data');
  if (data.length === 0) return undefined;
  const [id, name] = [valuesOf('id').at(-1), valuesOf('event').at(-1)];
  return { data: data.join('\n'), ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
}
