import { callDetails } from './call-details';
import { detailsText } from './details';

const INPUT = { invocationId: 'inv_1', timeoutMs: 1_000, ownerQueue: 'q', traceId: 't' };
const creditsOf = (...args: Parameters<typeof callDetails>) =>
  detailsText(callDetails(...args), 0)
    .split('\n')
    .filter((line) => line.includes('**Credits:**'));

describe('the page of a call', () => {
  it('names the price that is held, and where it went', () => {
    const input = { ...INPUT, priceCredits: 5 };
    const held = '- **Credits:** wallet → escrow, `invocation/inv_1/hold`: 5 credits';
    expect(creditsOf(input)).toEqual([held]);
    expect(creditsOf(input, { status: 'succeeded' })).toEqual([
      held,
      '- **Credits:** escrow → payable and fees, `invocation/inv_1/capture`',
    ]);
    expect(creditsOf(input, { status: 'failed', code: 'agent_timeout' })).toEqual([
      held,
      '- **Credits:** escrow → wallet, `invocation/inv_1/void`: 5 credits',
    ]);
  });

  it('names the command that lists the movements of a call that has ended', () => {
    const text = detailsText(callDetails({ ...INPUT, priceCredits: 5 }, { status: 'failed' }), 0);
    expect(text).toContain('- **Operator:** `market ledger trace inv_1` lists each movement of the call');
    expect(text).toMatch(/- \*\*API:\*\* `GET \/v1\/invocations\/inv_1`\n- \*\*Trace:\*\* `\w+`$/);
  });

  it('names no reference of the ledger for a free call, however it ends', () => {
    for (const outcome of [undefined, { status: 'succeeded' }, { status: 'failed' }] as const) {
      const text = detailsText(callDetails({ ...INPUT, priceCredits: 0 }, outcome), 0);
      expect(text).toContain('none move: a free call');
      expect(text).not.toMatch(/hold|void|capture|price/);
    }
  });

  it('names the references without an amount for a call that an earlier release started', () => {
    expect(creditsOf(INPUT)).toEqual(['- **Credits:** wallet → escrow, `invocation/inv_1/hold`']);
  });
});
