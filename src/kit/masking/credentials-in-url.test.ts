import { credentialsInUrl } from './credentials-in-url';
import { createSecret, wholeHost } from './masking';

it.each([
  ['https://a.example/api?format=markdown&target=language&api-version=2024-10-21', []],
  ['https://a.example/v1/agents/translation-service/invoke-streaming-endpoint', []],
  ['https://a.example/?model=gpt-4o-mini-2024-07-18&key_type=standard&locale=internationalization', []],
  ['https://a.example/?api_key=correct-horse&subscriptionKey=abcdefgh', ['correct-horse', 'abcdefgh']],
  ['https://a.example/?token=short', []],
  ['https://a.example/?X-Amz-Signature=deadbeefdeadbeef', ['deadbeefdeadbeef']],
  ['https://a.example/?code=3kX9fQ2mZr7LpW1tYv5B', ['3kX9fQ2mZr7LpW1tYv5B']],
  ['https://a.example/?u=550e8400-e29b-41d4-a716-446655440000', ['550e8400-e29b-41d4-a716-446655440000']],
  ['https://a.example/?key=a%2Fb%2Fc%2Fd%2Fe', ['a/b/c/d/e', 'a%2Fb%2Fc%2Fd%2Fe']],
  ['https://a.example/hooks/T0001/9aF3kQ7ZrX2mB6wV1tYp', ['9aF3kQ7ZrX2mB6wV1tYp']],
  ['https://k3j9x0q7f2m8p4z1.execute.example/invoke', ['k3j9x0q7f2m8p4z1']],
])('%s contains %j', (url, credentials) => {
  expect(credentialsInUrl(url)).toEqual(credentials);
});

describe('a host', () => {
  const mask = (text: string) => createSecret([wholeHost('agent-7.example.dev')]).mask(text);
  const short = (text: string) => createSecret([wholeHost('go.dev')]).mask(text);

  it.each([
    'https://agent-7.example.dev/x',
    '{"host":"agent-7.example.dev:8443"}',
    'AGENT-7.EXAMPLE.DEV',
    'see agent-7.example.dev.',
    'https:\\/\\/agent-7.example.dev',
    Buffer.from('agent-7.example.dev').toString('hex'),
  ])('is masked by itself: %s', (text) => {
    expect(mask(text)).toMatch(/\[redacted\]|\*{4}/);
    expect(mask(text).toLowerCase()).not.toContain('agent-7.example.dev');
  });

  it.each(['pkg.go.dev', 'https://pkg.go.dev/x', 'me@go.dev', 'ergo.dev', 'go.devices'])(
    'stays in a longer name: %s',
    (text) => {
      expect(short(`a ${text} b`)).toBe(`a ${text} b`);
    },
  );

  it('is masked however the text is cut', () => {
    const secret = createSecret([wholeHost('go.dev')]);
    for (let cut = 0; cut <= 18; cut += 1) {
      const masker = secret.masker();
      const text = Buffer.from('a go.dev pkg.go.dev');
      const parts = [masker.push(text.subarray(0, cut)), masker.push(text.subarray(cut)), masker.end()];
      expect(Buffer.concat(parts).toString()).toBe('a ****** pkg.go.dev');
    }
  });
});
