/** Statements of a month: what an account had, what moved, and what it has (ADR 0370). */
import type { WalletEntryType } from '../ledger/ledger';

/** Movements that only go between the wallet and the credits that are held for calls. */
type Within = 'invocation_hold' | 'invocation_release' | 'refund';

const NAMES: Readonly<Record<Exclude<WalletEntryType, Within>, string>> = {
  topup: 'Top-ups',
  topup_reversal: 'Refunds and chargebacks of top-ups',
  registration_fee: 'Registration fee',
  invocation_charge: 'Calls',
  dispute_refund: 'Returned in disputes',
  bond_deposit: 'Into the bond',
  bond_release: 'Out of the bond',
  slash_refund: 'Refunds after slashes',
  x402_payment: 'Payments by x402',
  x402_refund: 'Sent back by x402',
};
export const statementName = (type: string): string =>
  (NAMES as Readonly<Partial<Record<string, string>>>)[type] ?? type;

export interface StatementLine {
  type: string;
  /** How many movements of the wallet. */
  count: number;
  units: number;
}

/** What the wallet and the credits held for calls had at the begin, and the sums of what moved. */
export interface MonthSums {
  openingUnits: number;
  lines: StatementLine[];
}

export const closingUnits = ({ openingUnits, lines }: MonthSums): number =>
  lines.reduce((sum, { units }) => sum + units, openingUnits);

export interface Month {
  /** `YYYY-MM`, in UTC. */
  month: string;
  fromMs: number;
  untilMs: number;
}

export const MONTH_PATTERN = '^2[0-9]{3}-(0[1-9]|1[0-2])$';

/** The begin and the end of a month such as `2026-11`. */
export function monthOf(month: string): Month {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { month, fromMs: Date.UTC(year, number - 1), untilMs: Date.UTC(year, number) };
}

const SETTLED_MS = 86_400_000;
/** Whether nothing can be added to a month any more: a day after its end. */
export const isClosed = ({ untilMs }: Pick<Month, 'untilMs'>, nowMs: number): boolean =>
  nowMs >= untilMs + SETTLED_MS;
