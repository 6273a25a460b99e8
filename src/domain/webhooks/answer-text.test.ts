import { answerText } from './answer-text';

const text = (answer: string | Buffer, sent: Record<string, string> = {}) =>
  answerText(Buffer.from(answer), sent);

it('is one line, without control characters and without a cut character', () => {
  expect(text('no\r\n  such\troute\u202e!')).toBe('no such route !');
  expect(answerText(Buffer.from('ok ä').subarray(0, 4), {})).toBe('ok');
});

it('has at most 500 characters', () => {
  expect(text('x'.repeat(500))).toHaveLength(500);
  expect(text('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
});

it.each(['', '   ', Buffer.from([0xff, 0xd8, 0x00, 0x01])])(
  'is null for an empty answer, and for bytes: %p',
  (answer) => {
    expect(text(answer)).toBeNull();
  },
);

it('masks what was sent in headers, and anything in the form of a secret', () => {
  const sent = {
    'webhook-signature': 'v1,c2lnbmF0dXJlLW9uZQ== v1,c2lnbmF0dXJlLXR3bw==',
    'webhook-timestamp': '1762041605',
  };
  const echo = `sig c2lnbmF0dXJlLXR3bw== at 1762041605, whsec_AAECAwQFBgcICQoLDA0ODxAR, Bearer abc.def.ghi`;
  expect(text(echo, sent)).toBe('sig ••• at •••, •••, •••');
});
