import { createTokenCounter, type TokenCounter } from './tokens';

let counter: TokenCounter;
beforeAll(() => {
  counter = createTokenCounter({ warn: () => undefined });
});
afterAll(() => counter.close());

describe('the token counter', () => {
  it('counts texts and bytes in order', async () => {
    expect(await counter.count('a', ['{"text":"hello","n":3}', Buffer.from('hello'), ''])).toEqual([9, 1, 0]);
  });

  it('counts the texts of other tenants before many long texts of several tenants', async () => {
    const startedAt = performance.now();
    const hostile = Buffer.alloc(64 * 1024, '/');
    const slow = Array.from({ length: 8 }, (_, n) => counter.count(`hog ${n % 6}`, [hostile]));
    const ended = { shortMs: 0, longMs: 0 };
    await counter.count('victim', ['hello']);
    ended.shortMs = performance.now() - startedAt;
    await counter.count('victim', ['A sentence of some words, as people write them. '.repeat(500)]);
    ended.longMs = performance.now() - startedAt;
    await Promise.all(slow);
    const allMs = performance.now() - startedAt;
    expect(ended.shortMs).toBeLessThan(allMs / 10);
    expect(ended.longMs).toBeLessThan(allMs / 3);
  });

  it('counts small texts synchronously, with the same result as the thread', async () => {
    const text = JSON.stringify({ words: 'A sentence of some words. '.repeat(20), n: [1, 22, 333] });
    const pad = ' '.repeat(4_096);
    const [small] = await counter.count('a', [text]);
    const [same] = await counter.count('a', [text, pad]);
    expect(small).toBe(same);
    let isCounted = false;
    void counter.count('b', [text]).then(() => {
      isCounted = true;
    });
    await Promise.resolve();
    expect(isCounted).toBe(true);
  });

  it('refuses work when closed', async () => {
    const closing = createTokenCounter({ warn: () => undefined });
    await closing.close();
    await expect(closing.count('a', ['x'])).rejects.toThrow('closed');
  });
});
