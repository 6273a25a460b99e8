import { num, str } from 'envalid';
import { bic, disputeMs, percent, routingNumber } from './config-validators';
import { RATE_SOURCES } from './domain/payouts/exchange-rate';

/** Settings of payouts (docs/payouts.md). */
export const PAYOUTS = {
  PAYOUT_SETTLEMENT: str({
    choices: ['sandbox', 'bank'],
    devDefault: 'sandbox',
    default: 'bank',
    desc: 'sandbox: a written file counts as paid; bank: an operator records the outcome at the bank',
  }),
  PAYOUT_TAX_FREE_CREDITS: num({
    default: 60_000,
    desc: 'Maximum payouts per calendar year without an accepted tax form, in credits',
  }),
  PAYOUT_RESERVE_MS: disputeMs({
    devDefault: 0,
    default: 14 * 86_400_000,
    desc: 'Time after which earnings from new buyers mature for a developer who was never paid, at most 90 days; at least the dispute window',
  }),
  PAYOUT_COMPANY_NAME: str({ default: 'Agent Marketplace', desc: 'The paying company, in bank files' }),
  PAYOUT_COMPANY_ID: str({ default: '1000000000', desc: 'ACH company id, assigned by the bank' }),
  PAYOUT_BANK_NAME: str({ default: 'Our Bank', desc: 'The paying bank, in bank files' }),
  PAYOUT_ROUTING_NUMBER: routingNumber({
    devDefault: '021000021',
    default: '',
    desc: 'ABA routing number of the bank for ACH; required in production with PAYOUT_SETTLEMENT=bank',
  }),
  PAYOUT_ACCOUNT_NUMBER: str({ default: '000000000', desc: 'The account that payouts are made from' }),
  PAYOUT_BIC: bic({ default: 'AAAAUS33', desc: 'BIC of the bank for SWIFT' }),
  FX_SOURCE: str({
    choices: ['none', ...RATE_SOURCES],
    default: 'none',
    desc: 'Source of exchange rates, fetched every hour; none: operators load them',
  }),
  FX_SOURCE_URL: str({ default: '', desc: "URL of the rate document; empty for the source's own" }),
  FX_MAX_CHANGE_PERCENT: percent({
    default: 10,
    desc: 'Maximum change of a fetched rate from the latest one, in percent',
  }),
};
