import { exactUnits } from '../../domain/bonds/bond';
import { MarketError } from '../../domain/errors';

/** `credits` of a body in units. Throws `validation_failed` for more than two decimals. */
export function unitsOf({ credits }: { credits: number }): number {
  const units = exactUnits(credits);
  if (units !== undefined) return units;
  const detail = [{ loc: ['body', 'credits'], msg: 'takes at most two decimals', type: 'decimals' }];
  throw new MarketError('validation_failed', { detail });
}
