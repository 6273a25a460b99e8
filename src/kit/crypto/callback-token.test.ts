import { createHmac } from 'node:crypto';
import { createCallbackTokens } from './callback-token';

const ID = `inv_${'0a'.repeat(16)}`;
const OTHER = `inv_${'0b'.repeat(16)}`;

describe('callback tokens', () => {
  const tokens = createCallbackTokens('a secret of the service');

  it('are valid for their own call in every process with the same secret', () => {
    const token = createCallbackTokens('a secret of the service').of(ID);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(tokens.isValid(ID, token)).toBe(true);
  });

  it('are not valid for another call, or with another secret', () => {
    expect(tokens.isValid(OTHER, tokens.of(ID))).toBe(false);
    expect(createCallbackTokens('another secret').isValid(ID, tokens.of(ID))).toBe(false);
  });

  it.each([
    '',
    'x',
    'é'.repeat(43),
    `${tokens.of(ID)}=`,
    tokens.of(ID).slice(1),
    tokens.of(ID).toLowerCase(),
  ])('refuse %s', (token) => expect(tokens.isValid(ID, token)).toBe(false));

  it('are not valid for another use', () => {
    const others = (['notification_address', 'notification'] as const).map((use) =>
      createCallbackTokens('a secret of the service', use).of(ID),
    );
    expect(new Set([tokens.of(ID), ...others]).size).toBe(3);
    expect(others.map((token) => tokens.isValid(ID, token))).toEqual([false, false]);
  });

  it('are not what other uses of the secret sign', () => {
    const other = createHmac('sha256', 'a secret of the service').update(ID).digest('base64url');
    expect(tokens.isValid(ID, other)).toBe(false);
  });
});
