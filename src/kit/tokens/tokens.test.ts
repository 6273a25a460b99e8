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

  it("keeps one tenant's long texts from delaying another's short ones behind them all", async () => {
    const long = 'x'.repeat(200_000);
    const ended: string[] = [];
    const slow = Array.from({ length: 6 }, (_, n) =>
      counter.count('hog', [long]).then(() => ended.push(`hog ${n}`)),
    );
    const quick = counter.count('other', ['hello']).then(() => ended.push('other'));
    await Promise.all([...slow, quick]);
    expect(ended.indexOf('other')).toBeLessThanOrEqual(2);
  });

  it('refuses work when closed', async () => {
    const closing = createTokenCounter({ warn: () => undefined });
    await closing.close();
    await expect(closing.count('a', ['x'])).rejects.toThrow('closed');
  });
});
