import { cleanEvidence, leakedKey } from '../../../test/support/verification/run-evidence';
import { FIRST_RUBRIC } from '../../verification/scoring/first-rubric';
import { judge } from '../../verification/scoring/score';
import { readerTexts } from './reader-texts';
import { badgeScale, scoreSteps } from './score-steps';

const judged = (change: (evidence: ReturnType<typeof cleanEvidence>) => void = () => undefined) => {
  const evidence = cleanEvidence();
  change(evidence);
  return judge(evidence, FIRST_RUBRIC);
};
const shown = (...given: Parameters<typeof judged>) =>
  scoreSteps(judged(...given)).map(({ kind, stage, points }) => [kind, stage, points]);

it('is empty for a perfect score', () => {
  expect(shown()).toEqual([]);
});

it('names findings, what was not examined, and probes that did not conform at once', () => {
  const steps = shown((evidence) => {
    evidence.supplyChain.licences.coverage = {
      wanted: 1,
      looked: 0,
      gaps: [{ code: 'no_lockfile', count: 1 }],
    };
    const [first] = evidence.dynamic.conformance.probes;
    if (first) first.tries = 2;
  });
  expect(steps).toEqual([
    ['unearned', 'dynamic_testing', 4.667],
    ['gap', null, 3],
  ]);
});

it('adds up to what is missing to 100, whatever is rounded', () => {
  for (const looked of [0, 1, 2, 3]) {
    const judgement = judged((evidence) => {
      evidence.supplyChain.licences.coverage = {
        wanted: 3,
        looked,
        gaps: [{ code: 'unknown_licences', count: 1 }],
      };
    });
    const sum = scoreSteps(judgement).reduce((total, { points }) => total + points, 0);
    expect(Math.abs(100 - judgement.score - sum)).toBeLessThan(1);
  }
});

it('keeps a high finding without points, because it limits the badge, and leaves waived ones out', () => {
  const judgement = judge(leakedKey(), FIRST_RUBRIC);
  const [critical] = scoreSteps(judgement);
  expect(critical).toMatchObject({ kind: 'finding', stage: 'static_analysis' });
  for (const finding of judgement.stages.static_analysis.findings) {
    finding.points_lost = 0;
    finding.severity = 'high';
  }
  expect(scoreSteps(judgement)[0]).toMatchObject({ kind: 'finding', points: 0 });
  for (const finding of judgement.stages.static_analysis.findings)
    finding.waiver = { waiver_id: 'wvr_1', reason: 'No', expires_at: '2027-01-01T00:00:00.000Z' };
  expect(scoreSteps(judgement)).toEqual([]);
});

it('says what each badge lacks of score and bond', () => {
  const scale = badgeScale(FIRST_RUBRIC, { score: 82, bondUnits: 60_000 });
  expect(
    scale.map(({ badge, missingScore, missingBondUnits }) => [badge, missingScore, missingBondUnits]),
  ).toEqual([
    ['basic', 0, 0],
    ['standard', 0, 190_000],
    ['premium', 8, 940_000],
  ]);
});

it('leaves the marketplace’s own commands out for everybody, and those of the developer out for buyers', () => {
  const judgement = judged((evidence) => {
    const none = (code: 'no_bundle' | 'no_advisories') => ({
      wanted: 1,
      looked: 0,
      gaps: [{ code, count: 1 }],
    });
    evidence.static.secrets.coverage = none('no_bundle');
    evidence.supplyChain.malicious.coverage = none('no_advisories');
  });
  const [owner, buyer] = [true, false].map((isOwner) => JSON.stringify(readerTexts(judgement, isOwner)));
  expect(JSON.stringify(judgement)).toContain('market advisories import');
  expect(owner).not.toContain('market advisories import');
  expect(owner).toContain('bundle_base64');
  expect(buyer).not.toMatch(/market advisories import|bundle_base64|market publish/);
});
