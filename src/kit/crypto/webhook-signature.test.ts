import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  isSigningSecret,
  newSigningKey,
  newSigningSecret,
  publicKeyOf,
  refusedSignature,
  signWebhook,
} from './webhook-signature';

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

describe('signWebhook with a key pair', () => {
  // `test_asymmetric_key_signing` of the Svix server, whose signature is the example of the specification.
  const key = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
  const vector =
    'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==';

  it('reproduces the example of the specification, with the public key of its pair', () => {
    const body = Buffer.from('{"test": 2432232314}');
    const headers = signWebhook(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body);
    expect(headers['webhook-signature']).toBe(vector);
    expect(publicKeyOf(key)).toBe('whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=');
  });

  it('signs beside a secret, which the standardwebhooks library still verifies', () => {
    const [secret, pair] = [newSigningSecret(), newSigningKey()];
    const body = Buffer.from('{"text":"Grüße"}');
    const seconds = Math.floor(Date.now() / 1000);
    const headers = signWebhook([secret, pair], 'evt_1', seconds, body);
    const [v1, v1a] = headers['webhook-signature'].split(' ');
    expect([v1?.slice(0, 3), v1a?.slice(0, 4)]).toEqual(['v1,', 'v1a,']);
    expect(new Webhook(secret).verify(body.toString(), headers)).toEqual({ text: 'Grüße' });
    const x = Buffer.from(publicKeyOf(pair).slice('whpk_'.length), 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const signed = Buffer.from(`evt_1.${seconds}.${body.toString()}`);
    expect(verify(null, signed, publicKey, Buffer.from(v1a?.slice(4) ?? '', 'base64'))).toBe(true);
    expect(Buffer.from(pair.slice('whsk_'.length), 'base64').subarray(32).toString('base64url')).toBe(x);
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
