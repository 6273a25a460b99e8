import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Authenticator apps by RFC 6238: SHA-1, 6 digits, 30 s, the parameters that every app knows. */
const PERIOD_S = 30;
const ISSUER = 'Agent Marketplace';
/** Steps before and after the present one whose codes are accepted, because clocks differ. */
const WINDOW = 1;
const RECOVERY_BYTES = 13;

/** A new secret of 160 bits, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth://` address that apps read from a QR code. */
export function totpUri(secret: string, account: string): string {
  return totpOf(secret, account).toString();
}

/** A code as it was typed, without blanks of any kind: apps show `123 456`, and people copy the blank. */
export function withoutBlanks(code: string): string {
  return code.replaceAll(/[\s\p{Cf}]/gu, '');
}

/** True for a text with the form of a code of an app. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** True for a text with the form of a recovery code, in any letter case, with or without hyphens. */
export function isRecoveryCode(code: string): boolean {
  return /^[a-z2-7]{20}$/i.test(code.replaceAll('-', ''));
}

/** The time step of a valid code; undefined for a wrong one. */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  if (!isTotpCode(code)) return undefined;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / PERIOD_S) + delta;
}

/** A new recovery code of 100 bits, such as `k3vd2-…`, in four groups. */
export function newRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32.slice(0, 20);
  return (text.toLowerCase().match(/.{5}/g) ?? []).join('-');
}

/** SHA-256 of a recovery code, without regard to case, spaces and hyphens. */
export function recoveryCodeSha256(code: string): Buffer {
  const canonical = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return createHash('sha256').update(canonical).digest();
}

function totpOf(secret: string, label = 'account'): TOTP {
  return new TOTP({ issuer: ISSUER, label, secret, period: PERIOD_S, digits: 6, algorithm: 'SHA1' });
}
