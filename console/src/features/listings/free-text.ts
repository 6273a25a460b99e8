import { formatWhole } from '../../ui/format.ts';

/** The free calls of an agent in a month, and how many of them the account has left. */
export interface Free {
  perMonth: number;
  /** Undefined for a visitor, who has no account yet. */
  left: number | undefined;
}

/** "7 of 10 free this month"; for a visitor "The first 10 calls of a month are free". */
export function freeText({ perMonth, left }: Free): string {
  if (left !== undefined) return `${formatWhole(left)} of ${formatWhole(perMonth)} free this month`;
  return perMonth === 1
    ? 'The first call of a month is free'
    : `The first ${formatWhole(perMonth)} calls of a month are free`;
}
