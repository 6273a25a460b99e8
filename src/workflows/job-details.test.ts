import { detailsText } from './details';
import { jobDetails } from './job-details';

const INPUT = { invocationId: 'inv_1', traceId: 't', priceCredits: 5, asked: 0 };
const NOW_MS = Date.parse('2026-11-02T09:00:00.000Z');
const HOUR_MS = 3_600_000;

function pageOf(look: { isAsked: boolean; isPaused?: boolean; waitMs?: number }): string {
  const wait = { kind: 'waiting', waitMs: 60_000, endsAtMs: NOW_MS + HOUR_MS, ...look } as const;
  return detailsText(jobDetails(INPUT, wait, NOW_MS), NOW_MS);
}

describe('the page of a job in Temporal', () => {
  it.each([
    ['is asked', { isAsked: true }, 'The agent works on the job, and is asked for its answer'],
    ['calls back', { isAsked: false }, 'The agent works on the job, and calls back with its answer'],
    ['has asked the buyer', { isAsked: false, isPaused: true }, 'The job waits for the buyer'],
  ])('says what it waits for and until when, while the agent %s', (_case, look, state) => {
    const text = pageOf(look);
    expect(text).toContain(state);
    expect(text).toContain('**Until:** 2026-11-02T10:00Z (1 hour after 2026-11-02T09:00Z)');
    expect(text).toContain('the buyer has the whole price back');
  });

  it('says when the agent is asked again, unless its time is over before', () => {
    expect(pageOf({ isAsked: true })).toContain('the agent is asked again at 2026-11-02T09:01:00.000Z');
    expect(pageOf({ isAsked: true, waitMs: 2 * HOUR_MS })).not.toContain('asked again');
    expect(pageOf({ isAsked: false })).not.toContain('asked again');
  });

  it('says what an operator can do', () => {
    expect(pageOf({ isAsked: true })).toContain('terminating it lets a worker start it again');
    expect(pageOf({ isAsked: false, isPaused: true })).toContain('only the buyer can answer');
  });
});
