/**
 * Spending limits of a mandate (AP2's vocabulary, with a budget in whole credits). Unknown constraints,
 * unknown members and repeated constraints are refused: a limit that this service does not understand must
 * not be ignored.
 */
import { MarketError } from '../errors';
import { isRecord, isStorable } from '../json-value';

export const CREDIT_BUDGET = 'market.credit_budget';
export const CREDITS_PER_CALL = 'market.credits_per_call';
export const RECURRENCE = 'payment.agent_recurrence';
export const ALLOWED_PAYEES = 'payment.allowed_payees';

/** All supported constraints; advertised as a parameter of the A2A extension. */
export const MANDATE_CONSTRAINTS = [CREDIT_BUDGET, CREDITS_PER_CALL, RECURRENCE, ALLOWED_PAYEES] as const;

/** Maximum budget of a mandate, in credits. Higher values are treated as mistakes. */
export const MOST_CREDITS = 1_000_000_000;
const MOST_OCCURRENCES = 1_000_000_000;
const MOST_PAYEES = 256;
const MOST_TEXT = 256;

export interface MandateLimits {
  /** Budget in whole credits over the life of the mandate. */
  budgetCredits: number;
  /** Maximum whole credits per call; null means only the budget limits a call. */
  perCallCredits: number | null;
  /** Maximum number of calls, not counting failed ones; null means any number. */
  maxOccurrences: number | null;
  /** Ids of the agents that may be called; null means any agent. */
  payees: readonly string[] | null;
}

/** Throws `mandate_invalid` (403) with the reason as its message. */
export function refuseMandate(reason: string): never {
  throw new MarketError('mandate_invalid', { message: reason });
}

/**
 * Reads the limits from a list of constraints. Throws `mandate_invalid` for unknown, repeated and malformed
 * constraints, and for a list without a budget.
 */
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
        refuseMandate(`${RECURRENCE} supports only the frequency ON_DEMAND.`);
      }
      return { maxOccurrences: readCount(type, constraint['max_occurrences'], MOST_OCCURRENCES) };
    case ALLOWED_PAYEES:
      requireMembers(type, constraint, ['allowed']);
      return { payees: readPayees(constraint['allowed']) };
    default:
      return refuseMandate(`The constraint ${shown(type)} is not supported.`);
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
      refuseMandate(`A payee of the mandate may have only an id and a name.`);
    }
    return payee['id'];
  });
}

/**
 * Throws `mandate_invalid` unless every limit of a delegated mandate is at least as strict as its parent's.
 */
export function requireNarrowerLimits(parent: MandateLimits, child: MandateLimits): void {
  const within = (most: number | null, value: number | null) =>
    most === null || (value !== null && value <= most);
  const narrower =
    child.budgetCredits <= parent.budgetCredits &&
    within(parent.perCallCredits, child.perCallCredits) &&
    within(parent.maxOccurrences, child.maxOccurrences) &&
    (parent.payees === null ||
      (child.payees !== null && child.payees.every((payee) => parent.payees?.includes(payee))));
  if (!narrower) refuseMandate('A delegated mandate allows more than its parent mandate.');
}

/**
 * The maximum cost of one call under a chain of mandates and a proof, in credits; null when only the budgets
 * limit it.
 */
export function callCeiling(levels: readonly MandateLimits[], proofCredits: number | null): number | null {
  const ceilings = [proofCredits, ...levels.map((level) => level.perCallCredits)].filter(
    (credits) => credits !== null,
  );
  return ceilings.length === 0 ? null : Math.min(...ceilings);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MOST_TEXT && isStorable(value);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
