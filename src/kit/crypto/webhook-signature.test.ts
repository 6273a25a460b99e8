import { Webhook } from 'standardwebhooks';
import { isSigningSecret, newSigningSecret, refusedSignature, signWebhook } from './webhook-signature';

describe('signWebhook', () => {
  it('reproduces the test vector of the specification', () => {
    const headers = signWebhook(
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1614265330,
      Buffer.from('{"test": 2432232314}'),
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('is verified by the standardwebhooks library, and one changed byte is not', () => {
    const secret = newSigningSecret();
    const body = Buffer.from(JSON.stringify({ text: 'Grüße' }));
    const headers = signWebhook(secret, 'inv_1', Math.floor(Date.now() / 1000), body);
    const verifier = new Webhook(secret);
    expect(verifier.verify(body.toString(), headers)).toEqual({ text: 'Grüße' });
    expect(() => verifier.verify(body.toString().replace('G', 'g'), headers)).toThrow();
  });
});

describe('refusedSignature', () => {
  const now = 1_800_000_000;
  const [older, newer, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
  const body = Buffer.from('{"type":"progress","progress":0.5}');
  const signed = (secret: string, at = now) => signWebhook(secret, 'msg_1', at, body);
  const check = (headers: Partial<ReturnType<typeof signed>>, bytes: Buffer = body) =>
    refusedSignature(
      [newer, older],
      { ...signed(other), 'webhook-signature': undefined, ...headers },
      bytes,
      now * 1_000,
    );

  it('accepts what the standardwebhooks library has signed with any of the secrets', () => {
    for (const secret of [older, newer]) {
      const signature = new Webhook(secret).sign('msg_1', new Date(now * 1_000), body.toString());
      expect(check({ 'webhook-signature': signature })).toBeUndefined();
      expect(check({ 'webhook-signature': `v1a,AAAA v1,AAAA ${signature}` })).toBeUndefined();
    }
  });

  it.each([
    [now - 300, undefined],
    [now + 300, undefined],
    [now - 301, 'stale'],
    [now + 301, 'stale'],
  ])('compares the time %d with the present', (at, refusal) => {
    expect(check(signed(newer, at))).toBe(refusal);
  });

  it('refuses another secret, another body, another id and another time', () => {
    expect(check(signed(other))).toBe('unmatched');
    expect(check(signed(newer), Buffer.from(`${body.toString()} `))).toBe('unmatched');
    expect(check({ ...signed(newer), 'webhook-id': 'msg_2' })).toBe('unmatched');
    expect(check({ ...signed(newer), 'webhook-timestamp': String(now + 1) })).toBe('unmatched');
  });

  it.each([
    {},
    { 'webhook-id': '' },
    { 'webhook-id': 'x'.repeat(256) },
    { 'webhook-id': 'a b' },
    { 'webhook-id': 'é' },
    { 'webhook-timestamp': '' },
    { 'webhook-timestamp': `${now}.0` },
    { 'webhook-timestamp': '1e9' },
    { 'webhook-timestamp': '0x6b49d200' },
    { 'webhook-signature': '' },
    { 'webhook-signature': 'v2,AAAA' },
  ])('refuses incomplete headers: %j', (headers) => {
    const all = Object.keys(headers).length === 0 ? {} : signed(newer);
    expect(check({ ...all, ...headers })).toBe('incomplete');
  });
});

it('distinguishes a signing secret from other text', () => {
  expect(isSigningSecret(newSigningSecret())).toBe(true);
  for (const text of [
    '',
    'whsec_',
    'whsec_QQ==',
    'secret',
    `"${newSigningSecret()}"`,
    `${newSigningSecret()}!`,
  ])
    expect({ text, isSecret: isSigningSecret(text) }).toEqual({ text, isSecret: false });
});
