import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import { createTokenCounter, type TokenCounter } from '../../../kit/tokens/tokens';
import type { InFlightCall } from './in-flight';
import { createStreamMeter } from './metering';

let tokens: TokenCounter;
let counted = 0;

beforeAll(() => {
  const counter = createTokenCounter({ warn: () => undefined });
  tokens = {
    count(key, texts) {
      counted += texts.reduce((sum, text) => sum + text.length, 0);
      return counter.count(key, texts);
    },
    close: () => counter.close(),
  };
});
afterAll(() => tokens.close());

/** A call at one credit a token, with a ceiling in tokens. */
function callWith(ceiling: number | null, options: { free?: boolean; model?: string } = {}): InFlightCall {
  const terms = { model: options.model ?? 'per_token', rateMilli: 1_000_000, maxCredits: 100_000 };
  const version = { terms } as ServingVersion;
  return {
    version,
    free: options.free ?? false,
    ceilingCredits: ceiling,
    tokensIn: 0,
    buyerUserId: 'usr',
  } as InFlightCall;
}

/** The number of pieces that pass before the meter stops; undefined if all pass. */
async function piecesUntilStop(pieces: readonly string[], ceiling: number): Promise<number | undefined> {
  const meter = createStreamMeter(tokens, callWith(ceiling));
  for (const [n, piece] of pieces.entries()) if ((await meter?.add(piece)) === 'exceeded') return n;
  return undefined;
}

async function exact(text: string): Promise<number> {
  const [count = 0] = await tokens.count('usr', [JSON.stringify(text).slice(1, -1)]);
  return count;
}

const words = Array.from(
  { length: 600 },
  (_, n) => `and then the ${['dog', 'house', 'river'][n % 3]} said ${n}, `,
);

describe('the ceiling of a per-token answer while it comes', () => {
  it('stops at exactly the piece that exceeds it', async () => {
    const stop = (await piecesUntilStop(words, 2_000)) ?? -1;
    expect(await exact(words.slice(0, stop).join(''))).toBeLessThanOrEqual(2_000);
    expect(await exact(words.slice(0, stop + 1).join(''))).toBeGreaterThan(1_995);
  });

  it('lets an answer pass that ends below it, whatever its size', async () => {
    const total = await exact(words.join(''));
    expect(await piecesUntilStop(words, total + 5)).toBeUndefined();
    expect(await piecesUntilStop([...words.join('')], total + 5)).toBeUndefined();
  });

  it('reads text without any word in time that grows with it', async () => {
    counted = 0;
    const dense = Array.from({ length: 2_000 }, () => '漢字仮名交じり文'.repeat(4));
    const total = await exact(dense.join(''));
    counted = 0;
    expect(await piecesUntilStop(dense, total + 5)).toBeUndefined();
    expect(counted).toBeLessThan(dense.join('').length * 20);
  });

  it('is not measured if no answer can exceed it', () => {
    expect(createStreamMeter(tokens, callWith(null))).toBeNull();
    expect(createStreamMeter(tokens, callWith(100_000))).toBeNull();
    expect(createStreamMeter(tokens, callWith(1, { free: true }))).toBeNull();
    expect(createStreamMeter(tokens, callWith(1, { model: 'per_call' }))).toBeNull();
  });
});
