import { GAP_TEXTS } from '../../domain/verification/gap-texts';
import { ceilingText } from './ceiling';
import { cleanEvidence, leakedKey } from '../../../test/support/verification/run-evidence';
import { FIRST_RUBRIC } from './first-rubric';
import { judge } from './score';

const lineOf = (evidence = cleanEvidence()) => judge(evidence, FIRST_RUBRIC);

describe('the ceiling', () => {
  it('is 100 if everything could be examined, whatever was found', () => {
    expect(lineOf(leakedKey()).ceiling).toEqual({ score: 100, badge: 'premium', reasons: [] });
  });

  it('is lower for an agent without a bundle, with the reason and what to do', () => {
    const evidence = cleanEvidence();
    const none = { wanted: 1, looked: 0, gaps: [{ code: 'no_bundle' as const, count: 1 }] };
    const { secrets, vulnerabilities, quality, completeness } = evidence.static;
    for (const facts of [secrets, vulnerabilities, quality, ...Object.values(evidence.supplyChain)])
      (facts as { coverage: typeof none }).coverage = none;
    completeness.hosts = none;
    const { ceiling, score, summary } = lineOf(evidence);
    expect(score).toBe(53);
    expect(ceiling).toMatchObject({
      score: 53,
      badge: 'basic',
      reasons: [{ code: 'no_bundle', points: 47 }],
    });
    expect(summary).toContain(
      'At most 53 of 100 can be reached: without a bundle, code and dependencies cannot be examined. ' +
        'Publish with the CLI to add it',
    );
  });

  it('lists every reason, the most expensive first', () => {
    const evidence = cleanEvidence();
    evidence.supplyChain.lockfiles.coverage = {
      wanted: 1,
      looked: 0,
      gaps: [{ code: 'no_lockfile', count: 1 }],
    };
    evidence.static.vulnerabilities.coverage = {
      wanted: 10,
      looked: 0,
      gaps: [{ code: 'no_advisories', count: 10 }],
    };
    const { ceiling } = lineOf(evidence);
    expect(ceiling.reasons.map(({ code, points }) => [code, points])).toEqual([
      ['no_advisories', 8],
      ['no_lockfile', 5],
    ]);
    expect(ceiling.score).toBe(87);
  });
});

describe('the points that findings cost', () => {
  it('are named for each finding, worst first, and never exceed what the stage has', () => {
    const evidence = leakedKey();
    evidence.static.quality.testFiles = 0;
    evidence.static.secrets.coverage = { wanted: 2, looked: 1, gaps: [{ code: 'too_large', count: 1 }] };
    const { findings, score } = lineOf(evidence).stages.static_analysis;
    expect(findings.map(({ severity, points_lost: lost }) => [severity, lost])).toEqual([
      ['critical', 21],
      ['low', 0],
    ]);
    expect(score).toBe(0);
  });
});

describe('a waiver', () => {
  const seen = (digest: string) => {
    const evidence = leakedKey();
    evidence.static.secrets.found.items = evidence.static.secrets.found.items.map((item) => ({
      ...item,
      digest,
    }));
    return evidence;
  };
  const { fingerprint = '', mark = '' } = lineOf(seen('0badcafe')).stages.static_analysis.findings[0] ?? {};
  const waiver = {
    waiver_id: 'fwv_1',
    fingerprint,
    mark,
    reason: 'It is a key of the sandbox.',
    expires_at: '2027-01-01T00:00:00.000Z',
  };

  it('lets the finding cost nothing, and the report shows both', () => {
    const judged = judge(seen('0badcafe'), FIRST_RUBRIC, [waiver]);
    expect(judged).toMatchObject({ score: 100, earned_badge: 'premium' });
    expect(judged.summary).toBe(
      '100 of 100 points. 24 answers checked, 24 right. No findings. 1 waived by an operator.',
    );
    expect(judged.stages.static_analysis.findings).toMatchObject([
      { severity: 'critical', points_lost: 0, waiver: { reason: waiver.reason } },
    ]);
  });

  it('does not cover another value of the same kind in the same file', () => {
    const judged = judge(seen('deadbeef'), FIRST_RUBRIC, [waiver]);
    expect(judged).toMatchObject({ score: 75, earned_badge: null });
    expect(judged.stages.static_analysis.findings).toMatchObject([{ points_lost: 25, waiver: null }]);
  });
});

it('lists what adds the most points for an agent without a badge', () => {
  const reason = (code: 'no_bundle' | 'no_input_schema', points: number) => ({
    code,
    points,
    ...GAP_TEXTS[code],
  });
  const ceiling = {
    score: 60,
    badge: 'basic' as const,
    reasons: [reason('no_bundle', 30), reason('no_input_schema', 10)],
  };
  expect(ceilingText(ceiling, 50).join(' ')).toBe(
    'At most 60 of 100 can be reached, and a badge needs 50. What adds most: ' +
      'Publish with the CLI to add it (market publish), or send bundle_base64. (30 points) ' +
      'Add input_schema and output_schema, with up to 6 examples. (10 points)',
  );
  expect(ceilingText(ceiling, null)[0]).toMatch(/^At most 60 of 100 can be reached: without a bundle/);
});
