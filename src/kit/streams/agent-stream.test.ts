import fc from 'fast-check';
import { anyCodePoint } from '../../../test/support/any-text';
import type { MarketError } from '../../domain/errors';
import { readAgentStream, streamFormOf, textOfOutput, type StreamForm } from './agent-stream';

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
    await Promise.resolve();
  }
}

async function readAll(text: string | Buffer, form: StreamForm, sizes: readonly number[] = [7]) {
  const pieces: string[] = [];
  const stream = readAgentStream(inPieces(Buffer.from(text), sizes), form);
  for (;;) {
    const next = await stream.next();
    if (next.done) return { pieces, output: JSON.parse(next.value.toString()) as unknown };
    pieces.push(next.value);
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

describe('a stream of an agent', () => {
  it('gives the same pieces however the network cuts it and its lines end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: anyCodePoint, minLength: 1 }), { minLength: 1 }),
        sizes,
        lineEnd,
        async (texts, cuts, end) => {
          const events = texts.map(
            (text, n) => `${n % 2 ? `event: done${end}` : ''}data: ${JSON.stringify(text)}${end}${end}`,
          );
          expect((await readAll(events.join(''), 'events', cuts)).pieces).toEqual(texts);
          const lines = texts.map((text) => `${JSON.stringify({ chunk: text })}${end === '\r' ? '\n' : end}`);
          const { pieces, output } = await readAll(lines.join(''), 'lines', cuts);
          expect(pieces).toEqual(texts);
          expect(output).toEqual({ text: texts.join('') });
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each<[string, string, StreamForm]>([
    ['empty data', 'data: {"chunk":"Hi"}\n\ndata:\n\ndata: \n\ndata: {"output":1}\n\n', 'events'],
    [
      'a priming event',
      'id: 1\nretry: 500\ndata:\n\ndata: {"chunk":"Hi"}\n\ndata: {"output":1}\n\n',
      'events',
    ],
    [
      'pings',
      'event: ping\ndata: {}\n\n:\n\ndata: "Hi"\n\nevent: Heartbeat\ndata: 1\n\ndata: {"output":1}\n\n',
      'events',
    ],
    ['the mark of the end', 'data: "Hi"\n\ndata: {"output":1}\n\ndata: [DONE]\n\n', 'events'],
    ['a byte order mark', '\ufeffdata: "Hi"\n\ndata: {"output":1}\n\n', 'events'],
    ['a byte order mark of lines', '\ufeff"Hi"\n\n{"output":1}\n', 'lines'],
    ['record separators', '\u001e"Hi"\n\u001e{"output":\n1}\n', 'sequence'],
  ])('ignores %s', async (_what, text, form) => {
    expect(await readAll(text, form)).toEqual({ pieces: ['Hi'], output: 1 });
  });

  it.each<[string, StreamForm]>([
    ['data: hello\n\n', 'events'],
    ['data: {"chunk":"a"}\n\ndata: nope\n\n', 'events'],
    ['event: ping\ndata: {}\n\n', 'events'],
    ['data: {"chunk":"a"} [DONE]\n\n', 'events'],
    ['"a"\n[DONE]\n', 'lines'],
  ])('still refuses %j', async (text, form) => {
    await expect(readAll(text, form)).rejects.toMatchObject({ code: 'agent_error' });
  });

  it('gives only pieces and an output, or agent_error', async () => {
    const noise = fc.array(
      fc.constantFrom(
        'data: ',
        'event: error\n',
        'id: 1\n',
        '"a"',
        '{"chunk":"b"}',
        '{"output":1}',
        '{"type":"done"}',
        '\n',
        '\n\n',
        '\r',
        ':',
        '\u0000',
        '\ufeff',
        '[',
        'null',
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        noise,
        sizes,
        fc.constantFrom<StreamForm>('events', 'lines', 'sequence'),
        async (parts, cuts, form) => {
          try {
            const { pieces } = await readAll(parts.join(''), form, cuts);
            expect(pieces.every((piece) => piece === 'a' || piece === 'b')).toBe(true);
          } catch (error) {
            expect((error as MarketError).code).toBe('agent_error');
          }
        },
      ),
    );
  });

  it.each<[string, string, StreamForm]>([
    ['a piece after the output', '{"output":1}\n"a"\n', 'lines'],
    ['two outputs', '{"output":1}\n{"output":2}\n', 'lines'],
    ['nothing at all', '', 'events'],
    ['comments only', ': hello\n\n: world\n\n', 'events'],
    ['a number', 'data: 7\n\n', 'events'],
    ['a field beside the chunk', '{"chunk":"a","type":"done"}\n', 'lines'],
    ['an event cut off in the middle', 'data: "a"\n\ndata: {"chu', 'events'],
  ])('fails on %s', async (_name, text, form) => {
    await expect(readAll(text, form)).rejects.toMatchObject({ code: 'agent_error' });
  });

  it('takes an event that the end of the stream cut off after its data', async () => {
    expect(await readAll('data: "a"\n\ndata: {"output":{"n":1}}', 'events')).toEqual({
      pieces: ['a'],
      output: { n: 1 },
    });
  });

  it('keeps at most 1 MiB of a line that does not end', async () => {
    let sent = 0;
    async function* endless() {
      for (;;) {
        sent += 65_536;
        yield Buffer.alloc(65_536, 'x');
        await Promise.resolve();
      }
    }
    for (const form of ['events', 'lines'] as const) {
      sent = 0;
      await expect(readAgentStream(endless(), form).next()).rejects.toMatchObject({ code: 'agent_error' });
      expect(sent).toBeLessThanOrEqual(1024 * 1024 + 2 * 65_536);
    }
  });

  it('reads hostile line ends in time that grows with the text', async () => {
    const startedAt = performance.now();
    await readAll(`"a"\n${'\n'.repeat(1_000_000)}\r`, 'events', [16_384]).catch(() => undefined);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('the form of an answer', () => {
  it.each([
    ['text/event-stream', 'events'],
    ['Text/Event-Stream; charset=utf-8', 'events'],
    ['application/x-ndjson', 'lines'],
    ['application/jsonl', 'lines'],
    ['application/json', undefined],
    ['', undefined],
  ])('of %j is %s', (contentType, form) => expect(streamFormOf(contentType)).toBe(form));
});

describe('the text of an output whose pieces are not known', () => {
  it.each([
    ['{"text":"a"}', 'a'],
    ['"a"', 'a'],
    ['{"text":"a","n":1}', '{"text":"a","n":1}'],
    ['[1]', '[1]'],
  ])('of %s', (json, text) => expect(textOfOutput(Buffer.from(json))).toBe(text));
});
