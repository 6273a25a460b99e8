import { Webhook } from 'standardwebhooks';
import { isSigningSecret, newSigningSecret, signWebhook } from './webhook-signature';

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
