import { Secret } from 'otpauth';
import { newRecoveryCode, newTotpSecret, recoveryCodeSha256, totpStep, totpUri } from './totp';

// RFC 6238, appendix B, SHA-1; the RFC prints eight digits, of which the last six are the code of six digits.
const RFC_SECRET = Secret.fromLatin1('12345678901234567890').base32;

it.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('accepts the code of RFC 6238 at %d s, and its step', (seconds, code) => {
  expect(totpStep(RFC_SECRET, code, seconds * 1_000)).toBe(Math.floor(seconds / 30));
});

it('accepts the codes of the step before and after, and no others', () => {
  const at = (seconds: number) => totpStep(RFC_SECRET, '005924', seconds * 1_000);
  expect([at(1234567890 - 30), at(1234567890 + 30)]).toEqual([41152263, 41152263]);
  expect([at(1234567890 - 60), at(1234567890 + 60)]).toEqual([undefined, undefined]);
});

it.each(['', '00592', '0059244', ' 005924', '００５９２４', 'abcdef'])('refuses %j', (code) => {
  expect(totpStep(RFC_SECRET, code, 1234567890_000)).toBeUndefined();
});

it('makes secrets of 160 bits and addresses that apps read', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(totpUri(secret, 'ada@example.com')).toBe(
    `otpauth://totp/Agent%20Marketplace:ada%40example.com?issuer=Agent%20Marketplace&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
});

it('makes recovery codes that people may type in any form', () => {
  const code = newRecoveryCode();
  expect(code).toMatch(/^[a-z2-7]{5}(-[a-z2-7]{5}){3}$/);
  expect(newRecoveryCode()).not.toBe(code);
  expect(recoveryCodeSha256(` ${code.toUpperCase().replaceAll('-', ' ')} `)).toEqual(
    recoveryCodeSha256(code),
  );
});
