import { exactUnits } from '../../domain/bonds/bond';
import { creditsProblems } from '../../domain/bonds/request-problems';
import { MarketError } from '../../domain/errors';

/** `credits` of a body in units. Throws `validation_failed` for more than two decimals. */
export function unitsOf({ credits }: { credits: number }): number {
  const units = exactUnits(credits);
  if (units !== undefined) return units;
  throw new MarketError('validation_failed', { detail: creditsProblems(credits) });
}
