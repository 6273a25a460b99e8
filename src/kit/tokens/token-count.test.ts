import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createO200kCounter } from './token-count';

const steps = createO200kCounter();

function count(text: string): number {
  const counting = steps(text);
  for (;;) {
    const step = counting.next();
    if (step.done) return step.value;
  }
}

describe('counting o200k_base tokens', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'hello'],
    ['JSON', '{"text":"hello","n":3}'],
    ['prose', 'The quick brown fox — doesn’t jump; it *walks*.\r\n\n\tTwice!'],
    ['many scripts', '日本語のテキスト、عربى, ไทย, 👩‍👩‍👧‍👦 and ½ of ﬁve'],
    ['one long word', 'x'.repeat(3_000)],
    ['much space', ' '.repeat(2_000)],
    ['many signs', '=#'.repeat(1_000)],
    ['many digits', '0123456789'.repeat(200)],
    ['changing case', 'aAbBcC'.repeat(300)],
  ])('gives what the library gives for %s', (_name, text) => {
    expect(count(text)).toBe(countTokens(text));
  });

  it('gives what the library gives for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 300 }),
          fc.json(),
          fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', 'é', '🙂') }),
        ),
        (text) => {
          expect(count(text)).toBe(countTokens(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['x', ' ', '=#', 'aé', '日本語'])(
    'counts 256 KiB of %j in time that grows with its length, not with its square',
    (unit) => {
      const before = process.cpuUsage();
      count(unit.repeat((256 * 1024) / unit.length));
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    },
  );
});
