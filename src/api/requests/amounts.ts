import { exactUnits } from '../../domain/bonds/bond';
import { MarketError } from '../../domain/errors';

/** `credits` of a body as units. Throws 422 `validation_failed` for more than two decimals. */
export function unitsOf({ credits }: { credits: number }): number {
  const units = exactUnits(credits);
  if (units !== undefined) return units;
  const detail = [{ loc: ['body', 'credits'], msg: 'takes at most two decimals', type: 'decimals' }];
  throw new MarketError('validation_failed', { detail });
}

/** Whole seconds until a deadline, for people to read: it is over when the service has written so, not at 0. */
export function secondsUntil(deadline: Date): number {
  return Math.max(0, Math.ceil((deadline.getTime() - Date.now()) / 1_000));
}
