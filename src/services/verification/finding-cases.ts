import type { Db } from '../../stores/db';
import { type FindingCases, readCasesOf } from '../../stores/verification/contests';
import type { FindingRow } from '../../stores/verification/findings';

/** A finding with the waiver that holds for it, and its newest contest. */
export type FindingWithCases = FindingRow & FindingCases;

export async function withCases(db: Db, findings: readonly FindingRow[]): Promise<FindingWithCases[]> {
  const cases = await readCasesOf(
    db,
    findings.map(({ findingId }) => findingId),
  );
  return findings.map((finding) => ({
    ...finding,
    ...(cases.get(finding.findingId) ?? { waiver: null, contest: null }),
  }));
}
