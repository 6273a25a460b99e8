import { isCurrency, topupUnits, unitsToUsd } from '../billing/billing';
import { describeLine } from './ledger';

const line = {
  agentId: 'agt_csv_profiler_v1',
  description: 'Charge for agt_csv_profiler_v1',
  amountUnits: -500,
};

describe('the text of a line', () => {
  it('says what happened and for which agent', () => {
    expect(describeLine({ ...line, entryType: 'invocation_charge' })).toBe('Charge: agt_csv_profiler_v1');
    expect(describeLine({ ...line, entryType: 'invocation_hold' })).toBe(
      'Held in escrow: agt_csv_profiler_v1',
    );
  });

  it("uses the transaction's own words where no agent is involved", () => {
    const topup = {
      entryType: 'topup',
      agentId: null,
      description: 'Top-up of INR 5.00',
      amountUnits: 500,
    } as const;
    expect(describeLine(topup)).toBe('Top-up of INR 5.00');
  });

  it('differs for the two sides of a dispute', () => {
    expect(describeLine({ ...line, entryType: 'dispute_refund', amountUnits: 500 })).toMatch(
      /^Returned in full/,
    );
    expect(describeLine({ ...line, entryType: 'dispute_refund' })).toMatch(/^Dispute lost/);
  });
});

describe('money', () => {
  it('credits 1 unit a paisa and 100 units a cent, exactly', () => {
    expect(topupUnits(12_345, 'INR')).toBe(12_345);
    expect(topupUnits(12_345, 'USD')).toBe(1_234_500);
    expect(() => topupUnits(1.5, 'INR')).toThrow(RangeError);
    expect(() => topupUnits(Number.MAX_SAFE_INTEGER, 'USD')).toThrow(RangeError);
  });

  it('accepts currencies by their code only', () => {
    expect(['INR', 'USD', 'CHF', 'inr', 'toString', '__proto__'].map(isCurrency)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });

  it('is worth USD 0.01 a credit', () => {
    expect(unitsToUsd(100)).toBe(0.01);
    expect(unitsToUsd(12_345)).toBe(1.2345);
  });
});
