import fc from 'fast-check';
import {
  callCeiling,
  MANDATE_CONSTRAINTS,
  type MandateLimits,
  readLimits,
  requireNarrowerLimits,
} from './mandate-limits';

const NONE = { perCallCredits: null, maxOccurrences: null, payees: null };

it('reads every constraint that exists', () => {
  const constraints = [
    { type: 'market.credit_budget', max_credits: 500 },
    { type: 'market.credits_per_call', max_credits: 100 },
    { type: 'payment.agent_recurrence', frequency: 'ON_DEMAND', max_occurrences: 20 },
    { type: 'payment.allowed_payees', allowed: [{ id: 'agt_pdf_parser_v1', name: 'PDF parser' }] },
  ];
  expect(constraints.map(({ type }) => type)).toEqual(MANDATE_CONSTRAINTS);
  const limits = {
    budgetCredits: 500,
    perCallCredits: 100,
    maxOccurrences: 20,
    payees: ['agt_pdf_parser_v1'],
  };
  expect(readLimits(constraints)).toEqual(limits);
  expect(readLimits(constraints.slice(0, 1))).toEqual({ ...NONE, budgetCredits: 500 });
});

it('refuses constraints of every other type', () => {
  const budget = { type: 'market.credit_budget', max_credits: 5 };
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), (type, members) => {
      fc.pre(!(MANDATE_CONSTRAINTS as readonly string[]).includes(type));
      expect(() => readLimits([budget, { ...members, type }])).toThrow('not supported');
    }),
  );
});

it('refuses any value that is not a list of constraints, always with its own error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => readLimits(value)).toThrow(expect.objectContaining({ code: 'mandate_invalid' }) as Error);
    }),
  );
});

const most = fc.option(fc.integer({ min: 1, max: 20 }));
const limitsArbitrary: fc.Arbitrary<MandateLimits> = fc.record({
  budgetCredits: fc.integer({ min: 1, max: 20 }),
  perCallCredits: most,
  maxOccurrences: most,
  payees: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })),
});

/** Would these limits alone allow so many calls of an agent, of so many credits each? */
function allows(limits: MandateLimits, calls: number, credits: number, agent: string): boolean {
  return (
    calls * credits <= limits.budgetCredits &&
    calls <= (limits.maxOccurrences ?? Infinity) &&
    credits <= (limits.perCallCredits ?? Infinity) &&
    (limits.payees?.includes(agent) ?? true)
  );
}

it('accepts a delegated mandate only if the mandate above allows everything that it allows', () => {
  const accepted = (parent: MandateLimits, child: MandateLimits) => {
    try {
      requireNarrowerLimits(parent, child);
      return true;
    } catch {
      return false;
    }
  };
  const call = fc.tuple(
    fc.integer({ min: 1, max: 21 }),
    fc.integer({ min: 1, max: 21 }),
    fc.constantFrom('a', 'b', 'z'),
  );
  fc.assert(
    fc.property(limitsArbitrary, limitsArbitrary, call, (parent, child, [calls, credits, agent]) => {
      expect(accepted(parent, parent)).toBe(true);
      if (accepted(parent, child) && allows(child, calls, credits, agent)) {
        expect(allows(parent, calls, credits, agent)).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
  const wide = { ...NONE, budgetCredits: 20 };
  expect(accepted({ ...wide, perCallCredits: 5 }, wide)).toBe(false);
  expect(accepted({ ...wide, maxOccurrences: 5 }, wide)).toBe(false);
  expect(accepted({ ...wide, payees: ['a'] }, wide)).toBe(false);
  expect(accepted({ ...wide, payees: ['a'] }, { ...wide, payees: ['a', 'b'] })).toBe(false);
  expect(accepted(wide, { ...wide, budgetCredits: 21 })).toBe(false);
});

it('bounds one call by the least of the proof and the limits of one call', () => {
  const level = (perCallCredits: number | null): MandateLimits => ({
    ...NONE,
    budgetCredits: 100,
    perCallCredits,
  });
  expect(callCeiling([level(null)], null)).toBeNull();
  expect(callCeiling([level(null), level(7)], null)).toBe(7);
  expect(callCeiling([level(9), level(7)], 3)).toBe(3);
  expect(callCeiling([level(9)], 0)).toBe(0);
});
