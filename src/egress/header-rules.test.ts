import { framingHeaderIn, refusedCredential } from './header-rules';

describe('the header of a stored credential', () => {
  it.each([
    '123456',
    'Bearer 123456789012345',
    `Basic ${btoa('a-long-user-name:123456')}`,
    'user=ada; pin=1234',
  ])('may not hold a secret that can be guessed: %s', (value) =>
    expect(refusedCredential('authorization', value)).toBe('credential_too_short'),
  );

  it('may be empty, which means none', () => expect(refusedCredential('cookie', '')).toBeUndefined());

  it.each([
    'authorization',
    'X-Api-Key',
    'x-custom',
    'cookie',
    'Ocp-Apim-Subscription-Key',
    "a!#$%&'*+-.^_`|~9",
  ])('may be %s', (name) => expect(refusedCredential(name, 'Bearer 0123456789abcdef')).toBeUndefined());

  it.each([
    'host', 'Host', 'content-length', 'Transfer-Encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect', 'proxy-authorization',
    'Proxy-Anything', 'content-type', 'content-encoding', 'accept-encoding', 'accept', 'user-agent', 'x-invocation-id', 'X-Agent-Version',
    'x-deadline-ms', 'x-callback-url', 'x-marketplace-hops', 'idempotency-key', 'traceparent', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'signature', 'Signature-Input', 'signature-agent',
    'Mcp-Session-Id', 'mcp-protocol-version', 'mcp-param-x',
  ])('may not be %s', (name) => expect(refusedCredential(name, 'x')).toBe('header_name_reserved')); // prettier-ignore

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'ä', 'a'.repeat(129), 'a\u0000', '(x)'])(
    'is no header name: %j',
    (name) => {
      expect(refusedCredential(name, 'x')).toBe('header_name_invalid');
    },
  );

  it.each(['a\r\nHost: b', 'a\nb', 'a\u0000', 'ключ', 'x'.repeat(8_193), '\u0085'])(
    'may not hold %j',
    (value) => {
      expect(refusedCredential('authorization', value)).toBe('header_value_invalid');
    },
  );

  it('may hold Latin-1 and up to 8 KB', () => {
    expect(refusedCredential('authorization', 'é\tü-and-thirteen-more')).toBeUndefined();
    expect(refusedCredential('authorization', 'x'.repeat(8_192))).toBeUndefined();
  });
});

it('headers that frame the message are refused from callers', () => {
  for (const name of ['host', 'Content-Length', 'proxy-x', 'accept-encoding'])
    expect(framingHeaderIn({ accept: '', [name]: '' })).toBe(name);
  expect(framingHeaderIn({ 'content-type': '', accept: '', 'x-invocation-id': '' })).toBeUndefined();
});
