import { EnvError, makeExactValidator, makeValidator } from 'envalid';
import { readProviderRoutes } from './domain/billing/payment';
import { MOST_DISPUTE_DAYS } from './domain/disputes/dispute-case';
import { isRoutingNumber } from './domain/payouts/bank-numbers';
import { parsedUrl } from './kit/parsed-url';

/** A required setting that must not be empty. */
export const filled = makeValidator<string>((value) => {
  if (value.trim() === '') throw new EnvError('must not be empty');
  return value;
});

/** A comma-separated list of durations in milliseconds. */
export const pauses = makeExactValidator<readonly number[]>((value) => {
  const list = value.split(',').map(Number);
  if (list.every((ms) => Number.isInteger(ms) && ms >= 0)) return list;
  throw new EnvError('must be a comma-separated list of milliseconds');
});

export const mailUrl = makeValidator<string>((value) => {
  if (/^sandbox:/.test(value)) return value;
  if (/^smtps?:\/\/./.test(value) && parsedUrl(value)) return value;
  throw new EnvError('must be smtps://user:password@host[:port] or smtp://…');
});

/** An http or https address without a query, or nothing. */
export const webAddress = makeValidator<string>((value) => {
  if (value === '' || (/^https?:\/\/[^?#\s]+$/.test(value) && parsedUrl(value))) return value;
  throw new EnvError('must be an address that begins with https:// or http://');
});

export const bic = makeValidator<string>((value) => {
  // Empty: the process is not paid out by a bank. src/config-checks.ts refuses it where it is.
  if (value === '') return value;
  if (/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(value)) return value;
  throw new EnvError('must be a BIC of 8 or 11 characters');
});

export const routingNumber = makeValidator<string>((value) => {
  // Empty as for `bic`.
  if (value === '' || isRoutingNumber(value)) return value;
  throw new EnvError('must be an ABA routing number');
});

export const percent = makeValidator<number>((value) => {
  const number = Number(value);
  if (value.trim() !== '' && number > 0 && number <= 100) return number;
  throw new EnvError('must be greater than 0 and at most 100');
});

/** Milliseconds up to `MOST_DISPUTE_DAYS`. */
export const disputeMs = makeValidator<number>((value) => {
  const ms = Number(value);
  if (value.trim() !== '' && ms >= 0 && ms <= MOST_DISPUTE_DAYS * 86_400_000) return ms;
  throw new EnvError(`must be milliseconds, at most ${MOST_DISPUTE_DAYS} days`);
});

/** A share from 0 to 1. */
export const share = makeValidator<number>((value) => {
  const number = Number(value);
  if (value.trim() !== '' && number >= 0 && number <= 1) return number;
  throw new EnvError('must be a number from 0 to 1');
});

/** A comma-separated list. */
export const words = makeExactValidator<readonly string[]>((value) =>
  value
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean),
);

/** Payment providers, each with its currencies or without (`readProviderRoutes`). */
export const paymentRoutes = makeValidator<string>((value) => {
  if (readProviderRoutes(value)) return value;
  throw new EnvError('must be sandbox, razorpay, stripe, or a list such as razorpay:INR,stripe:USD+EUR');
});

/** A percentage below 50 with at most two decimals. */
export const spread = makeValidator<number>((value) => {
  if (/^[0-9]{1,2}(\.[0-9]{1,2})?$/.test(value) && Number(value) < 50) return Number(value);
  throw new EnvError('must be a percentage from 0 to below 50 with at most two decimals');
});
