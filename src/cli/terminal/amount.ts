import { usageFailure } from '../failure';

/** Reads an amount with at most two decimals, such as `10` or `9.50`. Throws `CliFailure` (exit 2) for other text. */
export function readAmount(text: string): number {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text)) return Number(text);
  throw usageFailure(`${text} is not an amount: write 10 or 9.50`);
}
