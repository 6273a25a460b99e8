import fc from 'fast-check';
import { anyCodePoint } from '../../../test/support/any-text';
import { decodedItems, splitEvents } from './event-splitter';

async function read(bytes: Buffer, cuts: number[], wants?: (name?: string) => boolean): Promise<string[]> {
  async function* parts() {
    let from = 0;
    for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
      yield bytes.subarray(from, cut);
      from = cut;
    }
  }
  const found: string[] = [];
  for await (const items of decodedItems(parts(), splitEvents(10_000, wants))) found.push(...items);
  return found;
}

/** Any text but line ends, which would end its line. */
const text = fc
  .string({ unit: anyCodePoint, maxLength: 50 })
  .map((value) => value.replaceAll(/[\r\n\0\ufeff]/g, ' '));
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');

describe('events', () => {
  it('are the same wherever the bytes are cut, and whatever ends their lines', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 5 }),
        lineEnd,
        fc.array(fc.nat(), { maxLength: 20 }),
        async (values, end, cuts) => {
          const stream = values.map((value) => `: note${end}id: 7${end}data: ${value}${end}${end}`).join('');
          expect(await read(Buffer.from(stream), cuts)).toEqual(values);
        },
      ),
    );
  });

  it('are left out when their name is not wanted, and taken when the stream ends with them', async () => {
    const stream = Buffer.from('event: other\ndata: a\n\nevent: message\ndata: b\n\ndata: c\ndata: d');
    expect(await read(stream, [3], (name) => name === undefined || name === 'message')).toEqual([
      'b',
      'c\nd',
    ]);
  });

  it('end the answer when one is too long, or no UTF-8', async () => {
    const long = Buffer.from(`data: ${'x'.repeat(10_001)}`);
    await expect(read(long, [100, 5_000])).rejects.toMatchObject({ code: 'agent_error' });
    await expect(read(Buffer.from([0x64, 0xc3, 0x28]), [])).rejects.toMatchObject({ code: 'agent_error' });
  });
});
