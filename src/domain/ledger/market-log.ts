/** What the market log says of a day (docs/proof-of-liabilities.md). */
import type { UserAccountKind } from './ledger';

/** The accounts of owners; each kind has a tree of its own. */
export const LIABILITY_KINDS = [
  'wallet',
  'escrow',
  'payable',
  'bond',
  'slash_hold',
] as const satisfies UserAccountKind[];
export type LiabilityKind = (typeof LIABILITY_KINDS)[number];

/** The accounts of the service. Together with those of owners they are zero. */
export const SERVICE_KINDS = ['cash', 'topup_clearing', 'payout_clearing', 'fees', 'platform'] as const;
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** A node of a sum tree: the sum of the leaves below it, in units, and a hash that commits to them. */
export interface SumNode {
  units: number;
  /** SHA-256, lower-case hexadecimal. */
  hash: string;
}

/** A node beside the way from a leaf to the root, and the side on which it is. */
export interface PathNode extends SumNode {
  side: 'left' | 'right';
}

/** The root of a tree without leaves. */
export const NO_LEAVES: SumNode = { units: 0, hash: '0'.repeat(64) };
/** `previous_sha256` of the first statement. */
export const NO_STATEMENT = '0'.repeat(64);

export interface LiabilityStatement {
  format: 1;
  /** `YYYY-MM-DD`, a UTC day. */
  day: string;
  /** The roots of the trees. */
  owed: Record<LiabilityKind, { units: number; root_sha256: string }>;
  /** Balances of the service's accounts, in units. */
  service: Record<ServiceKind, number>;
  /** The digest of the entries of the day. */
  ledger_sha256: string;
  previous_sha256: string;
}

/** The sum over all accounts, in units. It is 0, because each movement takes from one account what it gives another. */
export function sumOf({ owed, service }: Pick<LiabilityStatement, 'owed' | 'service'>): number {
  const units = [...Object.values(owed).map((tree) => tree.units), ...Object.values(service)];
  return units.reduce((sum, each) => sum + each, 0);
}
