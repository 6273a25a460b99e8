import { detailsText } from './details';
import { describeDispute, disputeDetails } from './dispute-details';

const NOW = Date.parse('2026-11-23T09:12:31.400Z');
const HOUR = 3_600_000;
const INPUT = {
  disputeId: 'dsp_1',
  invocationId: 'inv_1',
  chargedCredits: 5,
  status: 'open',
  respondByMs: NOW + 72 * HOUR,
} as const;
const state = (status: 'open' | 'contested' | 'accepted' | 'won' | 'lost') => ({
  status,
  moving: false,
  respondByMs: INPUT.respondByMs,
});
const lines = (status: Parameters<typeof state>[0], decided: string[] = []) =>
  detailsText(disputeDetails(INPUT, state(status), decided), NOW).split('\n');

describe('the page of a dispute', () => {
  it('states the deadline, the possible movement and what to read while the developer may respond', () => {
    expect(lines('open')).toEqual([
      '**Waits for the response of the developer, who may accept or contest.**',
      '',
      '- **Until:** 2026-11-26T09:12Z (3 days after 2026-11-23T09:12Z)',
      '- **Then:** silence counts as acceptance, and the buyer is refunded',
      '- **Credits:** the earning of the call is not paid out meanwhile',
      '- **Credits:** if the buyer wins: payable of the developer and fees → wallet of the buyer, `invocation/inv_1/clawback`: 5 credits, less what a slash returned before',
      '- **Operator:** `market disputes show dsp_1 --all` prints the reason, the statement and what the buyer attached',
      '- **Operator:** nothing to decide before the developer contests',
      '- **Operator:** `market ledger trace inv_1` lists each movement of the call',
      '- **API:** `GET /v1/operator/disputes/dsp_1`',
      '- **API:** `GET /v1/invocations/inv_1`',
    ]);
  });

  it('names the two commands that decide a contested case, and who contested it', () => {
    const text = lines('contested', ['2026-11-23T10:00Z: contested by the developer']).join('\n');
    expect(text).toContain('- **Decided:** 2026-11-23T10:00Z: contested by the developer');
    expect(text).toContain('`market disputes resolve dsp_1 buyer --reason …` refunds the buyer');
    expect(text).toContain('`market disputes resolve dsp_1 developer --reason …` leaves the charge as it is');
    expect(text).not.toContain('**Until:**');
  });

  it.each([
    [
      'accepted',
      'payable of the developer and fees → wallet of the buyer, `invocation/inv_1/clawback`: 5 credits, less what a slash returned before',
    ],
    [
      'won',
      'payable of the developer and fees → wallet of the buyer, `invocation/inv_1/clawback`: 5 credits, less what a slash returned before',
    ],
    ['lost', 'none moved: the charge `invocation/inv_1/capture` of 5 credits stays, and the earning matures'],
  ] as const)('states where the credits of a case went that is %s', (status, credits) => {
    expect(lines(status).filter((line) => line.includes('**Credits:**'))).toEqual([
      `- **Credits:** ${credits}`,
    ]);
  });

  it('names no amount for a case that an earlier release started', () => {
    const { chargedCredits: _amount, ...earlier } = INPUT;
    expect(detailsText(disputeDetails(earlier, state('won'), []), NOW)).toContain('/clawback`\n');
  });

  it('answers its query with the deadline in ISO time and the next step', () => {
    expect(describeDispute(INPUT, state('open'))).toEqual({
      ...state('open'),
      respondBy: '2026-11-26T09:12:31.400Z',
      until: '2026-11-26T09:12:31.400Z',
      next: 'silence counts as acceptance, and the buyer is refunded',
    });
  });
});
