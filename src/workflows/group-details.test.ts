import type { GroupMember, MemberEnd } from '../domain/calls/call-group';
import { detailsText } from './details';
import { groupDetails } from './group-details';

/** Ids begin with their time: 2026-11-26T03:05:34.123Z. */
const ID = `inv_${Date.parse('2026-11-26T03:05:34.123Z').toString(16).padStart(12, '0')}70008000000000000000`;
const MEMBER: GroupMember = {
  invocationId: ID,
  agentId: 'agt_a_v1',
  buyerUserId: 'usr_b',
  timeoutMs: 1_000,
  traceId: 't',
  priceCredits: 5,
};
const linesOf = (member: GroupMember, ...ends: MemberEnd[]) =>
  detailsText(groupDetails([member], ends), 0)
    .split('\n')
    .filter((line) => line.includes('**Credits:**'));

describe('the page of calls that share a workflow', () => {
  it('shows the steps of a call with their times', () => {
    const stepsMs = { held: 0, forwarded: 25, validated: 27, settled: 35 };
    expect(linesOf(MEMBER, { invocationId: ID, status: 'succeeded', creditsCharged: 5, stepsMs })).toEqual([
      `- **Credits:** \`${ID}\`: succeeded; 5 credits of usr_b for agt_a_v1, 5 charged, \`invocation/${ID}/capture\`; ` +
        'accepted 2026-11-26T03:05:34.123Z, hold +0 ms, forward +25 ms, validate +27 ms, settle +35 ms',
    ]);
  });

  it('shows how far a call came that failed', () => {
    const end = {
      status: 'failed',
      code: 'output_schema_mismatch',
      stepsMs: { held: 1, forwarded: 9 },
    } as const;
    const [line] = linesOf(MEMBER, { invocationId: ID, ...end });
    expect(line).toContain(
      `output_schema_mismatch; 5 credits of usr_b for agt_a_v1, 0 charged, \`invocation/${ID}/void\``,
    );
    expect(line).toMatch(/accepted 2026-11-26T03:05:34\.123Z, hold \+1 ms, forward \+9 ms$/);
  });

  it('shows which calls still run, and which have a workflow of their own', () => {
    expect(linesOf(MEMBER)[0]).toContain('runs; 5 credits of usr_b for agt_a_v1 held');
    expect(linesOf(MEMBER, { invocationId: ID, status: 'open' })[0]).toContain(`\`invocation/${ID}\``);
  });

  it('names no reference of the ledger for a free call', () => {
    const [line] = linesOf({ ...MEMBER, priceCredits: 0 }, { invocationId: ID, status: 'succeeded' });
    expect(line).toContain('free call of usr_b for agt_a_v1, 0 charged; accepted');
  });
});
