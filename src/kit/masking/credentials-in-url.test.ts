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

  it.each([
    'pkg.go.dev',
    'https://pkg.go.dev/x',
    'me@go.dev',
    'x-go.dev',
    'https://x-go.dev/',
    'ergo.dev',
    'go.devices',
    'go.dev-mirror.example',
  ])('stays in a longer name: %s', (text) => {
    expect(short(`a ${text} b`)).toBe(`a ${text} b`);
  });

  it('is masked however the text is cut', () => {
    const secret = createSecret([wholeHost('go.dev')]);
    for (let cut = 0; cut <= 18; cut += 1) {
      const masker = secret.masker();
      const text = Buffer.from('a go.dev pkg.go.dev');
      const parts = [masker.push(text.subarray(0, cut)), masker.push(text.subarray(cut)), masker.end()];
      expect(Buffer.concat(parts).toString()).toBe('a ****** pkg.go.dev');
    }
  });

  it('is masked after an escape for white space, also where it begins with its letter', () => {
    expect(short(String.raw`{"a":"x\ngo.dev\tgo.dev"}`)).toBe(String.raw`{"a":"x\n******\t******"}`);
    expect(short('a\tgo.dev - go.dev')).toBe('a\t****** - ******');
  });
});

describe('names of members', () => {
  const secret = createSecret([wholeHost('go.dev'), 'language', 'sk_live_9f8e7d6c5b4a']);
  const inJson = (text: string, size = text.length) => {
    const masker = secret.masker(undefined, { isJson: true });
    const bytes = Buffer.from(text);
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) parts.push(masker.push(bytes.subarray(at, at + size)));
    return Buffer.concat([...parts, masker.end()]).toString();
  };

  it.each([
    ['{"go.dev":"go.dev"}', '{"go.dev":"******"}'],
    ['{"language" \n: "language"}', '{"language" \n: "********"}'],
    [
      '{"https://go.dev/x":1,"my language":["language"]}',
      '{"https://go.dev/x":1,"my language":["********"]}',
    ],
    ['{"a":"go.dev","b":1}', '{"a":"******","b":1}'],
    ['{"a":"see \\"go.dev\\": gone"}', '{"a":"see \\"******\\": gone"}'],
    ['{"a":"go.dev, language', '{"a":"******, ********'],
    ['{"sk_live_9f8e7d6c5b4a":"go.dev"}', '{"[redacted]":"******"}'],
    ['{"go.dev sk_live_9f8e7d6c5b4a":1}', '{"****** [redacted]":1}'],
    [`{"a":"go.dev ${'x'.repeat(300)}"}`, `{"a":"****** ${'x'.repeat(300)}"}`],
  ])('stay as they are, and values are masked: %s', (text, masked) => {
    for (const size of [1, 2, 3, 7, text.length]) expect(inJson(text, size)).toBe(masked);
  });

  it('are no reason to notify the owner', () => {
    const found: number[] = [];
    const masker = secret.masker((text) => found.push(text), { isJson: true });
    masker.push(Buffer.from('{"go.dev":1,"languages":2}'));
    masker.end();
    expect(found).toEqual([]);
  });
});

describe('a credential that is a word', () => {
  it.each([
    ['language', 'languages, sublanguage', 'languages, sublanguage'],
    ['test', 'latest tested contest', 'latest tested contest'],
    ['correct-horse', 'incorrect-horses', 'incorrect-horses'],
    ['language', 'language=language&x', '********=********&x'],
    ['correct-horse', 'key:correct-horse.', 'key:[redacted].'],
    ['correct-horse', `see ${Buffer.from('correct-horse').toString('base64')}`, 'see [redacted]Q=='],
    ['correct-horse', `see ${Buffer.from('correct-horse').toString('hex')}`, 'see [redacted]'],
    ['correct-horse', 'see %63orrect%2Dhorse', 'see [redacted]'],
    ['a8Xk29fQ', 'keya8Xk29fQz', 'key********z'],
    ['qwkejrhzmxnvbqpwoeirutyal', 'xqwkejrhzmxnvbqpwoeirutyalx', 'x[redacted]x'],
  ])('%s is masked where it stands by itself: %s', (key, text, masked) => {
    expect(createSecret([key]).mask(text)).toBe(masked);
  });
});
