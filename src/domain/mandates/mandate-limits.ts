/**
 * What a mandate allows to spend (reference: AP2's vocabulary, our own budget in whole credits). Every constraint is
 * known and enforced, or the mandate is refused: a constraint that nobody understands must never be one that nobody
 * enforces. For the same reason a constraint has exactly the members that are named here, and stands there once.
 */
import { MarketError } from '../errors';

export const CREDIT_BUDGET = 'market.credit_budget';
export const CREDITS_PER_CALL = 'market.credits_per_call';
export const RECURRENCE = 'payment.agent_recurrence';
export const ALLOWED_PAYEES = 'payment.allowed_payees';

/** Every constraint that a mandate may hold; shown to agents as a parameter of the A2A extension. */
export const MANDATE_CONSTRAINTS = [CREDIT_BUDGET, CREDITS_PER_CALL, RECURRENCE, ALLOWED_PAYEES] as const;

/** All that a mandate may ever hold: beyond it a budget is a mistake. */
export const MOST_CREDITS = 1_000_000_000;
const MOST_OCCURRENCES = 1_000_000_000;
const MOST_PAYEES = 256;
const MOST_TEXT = 256;

export interface MandateLimits {
  /** Whole credits over the life of the mandate. */
  budgetCredits: number;
  /** Whole credits of one call; null: as much as the budget has. */
  perCallCredits: number | null;
  /** How many calls, failed ones not counted; null: any number. */
  maxOccurrences: number | null;
  /** Ids of the agents that may be called; null: any agent. */
  payees: readonly string[] | null;
}

/** Refuses a mandate: 403 `mandate_invalid` with the reason as its message. */
export function refuseMandate(reason: string): never {
  throw new MarketError('mandate_invalid', { message: reason });
}

/** The limits that a list of constraints sets; refuses unknown, doubled and malformed ones, and a list without a budget. */
export function readLimits(constraints: unknown): MandateLimits {
  if (!Array.isArray(constraints)) refuseMandate('The mandate has no list of constraints.');
  const seen = new Set<string>();
  let limits: Partial<MandateLimits> = {};
  for (const constraint of constraints as unknown[]) {
    if (!isRecord(constraint) || typeof constraint['type'] !== 'string') {
      refuseMandate('A constraint of the mandate has no type.');
    }
    const type = constraint['type'];
    if (seen.has(type)) refuseMandate(`The mandate has the constraint ${shown(type)} twice.`);
    seen.add(type);
    limits = { ...limits, ...readConstraint(type, constraint) };
  }
  const { budgetCredits } = limits;
  if (budgetCredits === undefined) refuseMandate(`The mandate has no ${CREDIT_BUDGET}.`);
  return { perCallCredits: null, maxOccurrences: null, payees: null, ...limits, budgetCredits };
}

function readConstraint(type: string, constraint: Record<string, unknown>): Partial<MandateLimits> {
  switch (type) {
    case CREDIT_BUDGET:
      requireMembers(type, constraint, ['max_credits']);
      return { budgetCredits: readCount(type, constraint['max_credits'], MOST_CREDITS) };
    case CREDITS_PER_CALL:
      requireMembers(type, constraint, ['max_credits']);
      return { perCallCredits: readCount(type, constraint['max_credits'], MOST_CREDITS) };
    case RECURRENCE:
      requireMembers(type, constraint, ['frequency', 'max_occurrences']);
      if (constraint['frequency'] !== 'ON_DEMAND') {
        refuseMandate(`${RECURRENCE} is understood with the frequency ON_DEMAND only.`);
      }
      return { maxOccurrences: readCount(type, constraint['max_occurrences'], MOST_OCCURRENCES) };
    case ALLOWED_PAYEES:
      requireMembers(type, constraint, ['allowed']);
      return { payees: readPayees(constraint['allowed']) };
    default:
      return refuseMandate(`The constraint ${shown(type)} is not known here.`);
  }
}

function requireMembers(type: string, constraint: Record<string, unknown>, members: readonly string[]): void {
  for (const name of Object.keys(constraint)) {
    if (name !== 'type' && !members.includes(name)) {
      refuseMandate(`${type} has the unknown member ${shown(name)}.`);
    }
  }
}

function readCount(type: string, value: unknown, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value;
  return refuseMandate(`${type} needs a whole number from 1 to ${most}.`);
}

function readPayees(allowed: unknown): string[] {
  if (!Array.isArray(allowed) || allowed.length === 0 || allowed.length > MOST_PAYEES) {
    refuseMandate(`${ALLOWED_PAYEES} needs a list of 1 to ${MOST_PAYEES} payees.`);
  }
  return (allowed as unknown[]).map((payee) => {
    if (!isRecord(payee) || !isShortText(payee['id'])) refuseMandate(`A payee of the mandate has no id.`);
    const isNamed = payee['name'] === undefined || isShortText(payee['name']);
    if (!isNamed || Object.keys(payee).some((name) => name !== 'id' && name !== 'name')) {
      refuseMandate(`A payee of the mandate has more than an id and a name.`);
    }
    return payee['id'];
  });
}

/** Refuses a delegated mandate that allows anything that the one above it does not: every limit again, none wider. */
export function requireNarrowerLimits(parent: MandateLimits, child: MandateLimits): void {
  const within = (most: number | null, value: number | null) =>
    most === null || (value !== null && value <= most);
  const narrower =
    child.budgetCredits <= parent.budgetCredits &&
    within(parent.perCallCredits, child.perCallCredits) &&
    within(parent.maxOccurrences, child.maxOccurrences) &&
    (parent.payees === null ||
      (child.payees !== null && child.payees.every((payee) => parent.payees?.includes(payee))));
  if (!narrower) refuseMandate('A delegated mandate allows more than the mandate above it.');
}

/** What one call may cost at most under these mandates and a proof; null: only the budgets decide. */
export function callCeiling(levels: readonly MandateLimits[], proofCredits: number | null): number | null {
  const ceilings = [proofCredits, ...levels.map((level) => level.perCallCredits)].filter(
    (credits) => credits !== null,
  );
  return ceilings.length === 0 ? null : Math.min(...ceilings);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MOST_TEXT && isStorable(value);
}

/** Text that Postgres can hold. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed();
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
