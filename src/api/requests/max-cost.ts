import type { Request } from 'express';
import { MAX_COST_CREDITS } from '../../contract/common';
import { invalidHeader } from './field-problems';

/**
 * The cost ceiling of a call from its message or from `X-Max-Cost-Credits`; both are allowed if they are equal. Throws
 * `invalid_header`.
 */
export function maxCostOf(req: Request, fromMessage: number | undefined): number | null {
  const header = req.get('x-max-cost-credits');
  if (header === undefined) return fromMessage ?? null;
  const credits = /^\d{1,10}$/.test(header) ? Number(header) : Infinity;
  if (credits > MAX_COST_CREDITS) {
    throw invalidHeader(
      'X-Max-Cost-Credits',
      `X-Max-Cost-Credits takes a whole number from 0 to ${MAX_COST_CREDITS}.`,
    );
  }
  if (fromMessage !== undefined && fromMessage !== credits) {
    throw invalidHeader('X-Max-Cost-Credits', 'X-Max-Cost-Credits and max_cost_credits differ.');
  }
  return credits;
}
