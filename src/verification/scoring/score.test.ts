import { cleanEvidence, FULL, leakedKey } from '../../../test/support/verification/run-evidence';
import type { AdvisoryFact } from '../../domain/evidence/evidence-facts';
import type { ProbeFact, RunEvidence } from '../../domain/verification/probe-facts';
import type { Rubric } from '../../domain/verification/rubric';
import { contradictedDeclarations } from '../../domain/verification/declarations';
import { STAGE_MAX, STAGES } from '../../domain/verification/trust';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import BEFORE from '../rubrics/2026.1.json';
import { FIRST_RUBRIC, toRubric } from './first-rubric';
import { judge } from './score';

const judged = (evidence: RunEvidence) => judge(evidence, FIRST_RUBRIC);
const categories = (evidence: RunEvidence) =>
  STAGES.flatMap((stage) => judged(evidence).stages[stage].findings.map(({ category }) => category));

function advisory(changes: Partial<AdvisoryFact>): AdvisoryFact {
  return {
    ecosystem: 'npm',
    name: 'left',
    version: '1.0.0',
    isDirect: true,
    advisoryId: 'GHSA-aaaa-bbbb-cccc',
    severity: 'high',
    summary: 'Breaks.',
    fixedIn: '1.0.1',
    ...changes,
  };
}

function probe(code: ProbeFact['code'], changes: Partial<ProbeFact> = {}): ProbeFact {
  return { code, durationMs: 5, tries: 1, status: null, problems: [], ...changes };
}

describe('a score', () => {
  it('is 100, premium and without findings if everything could be examined and nothing is wrong', () => {
    const { score, earned_badge, stages, summary } = judged(cleanEvidence());
    expect({ score, earned_badge, summary }).toEqual({
      score: 100,
      earned_badge: 'premium',
      summary: '100 of 100 points. 24 answers checked, 24 right. No findings.',
    });
    for (const stage of STAGES) expect(stages[stage]).toMatchObject({ score: STAGE_MAX[stage], coverage: 1 });
  });

  it('is the same, byte for byte, from evidence that was stored and read again in another order of members', () => {
    const evidence = leakedKey();
    const first = canonicalJson(judged(evidence));
    const again = JSON.parse(canonicalJson(evidence)) as RunEvidence;
    expect(canonicalJson(judge(again, toRubric(JSON.parse(canonicalJson(FIRST_RUBRIC)))))).toBe(first);
    evidence.static.secrets.found.items.reverse();
    expect(canonicalJson(judged(evidence))).toBe(first);
  });

  it('stays the same, byte for byte, by the rubric before 2026.2', () => {
    const withoutAnswers = (evidence: RunEvidence) => {
      delete evidence.redTeam.answers;
      return evidence;
    };
    const refusing = withoutAnswers(cleanEvidence());
    refusing.dynamic.conformance = {
      coverage: { wanted: 6, looked: 0, gaps: [{ code: 'refused_inputs', count: 6 }] },
      probes: [],
      refused: { count: 6, statuses: [422], invocationId: null },
    };
    for (const attack of refusing.redTeam.attacks.slice(0, 1))
      attack.leaks = [{ kind: 'instructs_reader', attempts: 2 }];
    const all = [withoutAnswers(cleanEvidence()), withoutAnswers(leakedKey()), refusing];
    expect(
      all.map((evidence) => sha256Hex(canonicalJson(judge(evidence, BEFORE as unknown as Rubric)))),
    ).toEqual([
      '9b9d84ab87c33b6d124605a2faaa4934fa461272da6b56f814ee4c246345e7f2',
      '744f3cec02757e7db9bb4385e54bd5135ea4f5664d8e4fdc0739ae00c2d14d67',
      'c6e24362eb7ae0fba714cb5b97c8c779a93606beb875c27b987014fac4152c8e',
    ]);
  });

  it('has no points for behaviour and no badge without a right answer, and says how to be examined', () => {
    const evidence = cleanEvidence();
    evidence.dynamic.conformance = {
      coverage: { wanted: 6, looked: 0, gaps: [{ code: 'refused_inputs', count: 6 }] },
      probes: [],
      refused: { count: 6, statuses: [422], invocationId: null },
    };
    evidence.redTeam.answers = { answered: 0, mismatched: 0, invocationId: null, problems: [] };
    const { score, earned_badge, ceiling, examined, summary } = judged(evidence);
    expect({ score, earned_badge, examined, ceiling: [ceiling.score, ceiling.badge] }).toEqual({
      score: 50,
      earned_badge: null,
      examined: { checked: 0, right: 0 },
      ceiling: [50, null],
    });
    expect(ceiling.reasons[0]).toMatchObject({ code: 'refused_inputs', points: 50 });
    expect(summary).toContain('No answer checked. The badge basic needs 1 right answers');
  });

  it('counts no answer that no schema checks, and of an MCP server the answers of its tools alone', () => {
    const http = cleanEvidence();
    delete http.redTeam.answers;
    http.dynamic.conformance.probes = [probe('conforms', { unchecked: true })];
    expect(judged(http).ceiling.reasons[0]).toMatchObject({ code: 'no_input_schema', points: 50 });
    const mcp = cleanEvidence();
    delete mcp.redTeam.answers;
    mcp.dynamic.tools = { coverage: FULL, count: 2 };
    expect(judged(mcp)).toMatchObject({ earned_badge: null, examined: { checked: 0, right: 0 } });
    const tested = {
      total: 2,
      tested: 2,
      tools: [
        { name: 'a', calls: 3, answered: 3 },
        { name: 'b', calls: 3, answered: 2 },
      ],
    };
    Object.assign(mcp.dynamic.tools, { tested });
    expect(judged(mcp)).toMatchObject({ earned_badge: 'standard', examined: { right: 5 } });
  });

  it.each([
    [1, 'basic'],
    [4, 'basic'],
    [5, 'standard'],
    [6, 'premium'],
  ])('allows with %i right answers at most the badge %s', (right, badge) => {
    const evidence = cleanEvidence();
    evidence.dynamic.conformance.probes = Array.from({ length: right }, () => probe('conforms'));
    evidence.redTeam.answers = { answered: 0, mismatched: 0, invocationId: null, problems: [] };
    expect(judged(evidence)).toMatchObject({ score: 100, earned_badge: badge });
  });

  it('has no badge beside orders for the reading model, a poisoned tool or active content', () => {
    const badges = (['instructs_reader', 'active_content', 'hidden_text', 'terminal_escape'] as const).map(
      (kind) => {
        const evidence = cleanEvidence();
        for (const attack of evidence.redTeam.attacks.slice(0, 1)) attack.leaks = [{ kind, attempts: 1 }];
        const { earned_badge, stages } = judged(evidence);
        return [stages.red_team.findings[0]?.severity, earned_badge];
      },
    );
    expect(badges).toEqual([
      ['critical', null],
      ['high', null],
      ['high', null],
      ['high', null],
    ]);
    const evidence = cleanEvidence();
    const flaws = [{ kind: 'hidden_instructions' as const, tools: ['read_mail'], count: 1 }];
    evidence.dynamic.tools = { coverage: FULL, count: 1, flaws };
    expect(judged(evidence).stages.red_team.findings).toMatchObject([
      {
        severity: 'critical',
        category: 'poisoned-tool',
        description: expect.stringContaining('read_mail') as unknown,
      },
    ]);
  });

  it('speaks of one refused input as of one', () => {
    const evidence = cleanEvidence();
    const refused = (count: number) => {
      evidence.dynamic.conformance.refused = { count, statuses: [422], invocationId: null };
      return judged(evidence).stages.dynamic_testing.findings.map(({ description }) => description);
    };
    expect(refused(1)).toEqual([
      expect.stringMatching(/refused 1 input that was made .* It counts as not proven/),
    ]);
    expect(refused(2)).toEqual([
      expect.stringMatching(/refused 2 inputs that were made .* They count as not/),
    ]);
  });

  it('has one finding for a file that ended its reader, and none by a rubric that was announced before that rule', () => {
    const evidence = cleanEvidence();
    const ended = { wanted: 1, looked: 0, gaps: [{ code: 'reader_ended' as const, count: 1 }] };
    evidence.static.secrets.coverage = ended;
    evidence.supplyChain.malicious.coverage = ended;
    const { static_analysis: stage } = judged(evidence).stages;
    expect(stage.findings).toMatchObject([{ category: 'unreadable-bundle', severity: 'medium' }]);

    const older = structuredClone(FIRST_RUBRIC) as { texts: Record<string, unknown> };
    delete older.texts['unreadable_bundle'];
    expect(judge(evidence, older as Rubric).stages.static_analysis.findings).toEqual([]);

    evidence.static.secrets.coverage = { ...ended, gaps: [{ code: 'too_slow', count: 1 }] };
    evidence.supplyChain.malicious.coverage = FULL;
    expect(judged(evidence).stages.static_analysis.findings).toEqual([]);
  });

  it('earns no points for what could not be examined, without a finding, and reports it', () => {
    const evidence = cleanEvidence();
    const gap = { wanted: 1, looked: 0, gaps: [{ code: 'no_bundle' as const, count: 1 }] };
    evidence.static.secrets.coverage = gap;
    evidence.supplyChain.pinning.coverage = {
      wanted: 2,
      looked: 1,
      gaps: [{ code: 'no_lockfile', count: 1 }],
    };
    const { score, stages, summary } = judged(evidence);
    expect(score).toBe(100 - 8 - 3);
    expect(stages.static_analysis).toMatchObject({
      score: 17,
      coverage: 0.68,
      findings: [],
      checks: { secrets: { coverage: 0, points: 0, max: 8, gaps: ['no_bundle'] } },
    });
    expect(stages.supply_chain.findings).toEqual([]);
    expect(summary).toContain('Coverage is incomplete in static analysis, supply chain.');
  });

  it.each([
    ['critical', 0, null],
    ['high', 10, 'basic'],
    ['medium', 20, 'premium'],
    ['low', 23, 'premium'],
  ] as const)(
    'loses by a %s vulnerability down to %i of 25 points, with the badge %s',
    (severity, score, badge) => {
      const evidence = cleanEvidence();
      evidence.static.vulnerabilities.found = { total: 1, items: [advisory({ severity })] };
      const judgement = judged(evidence);
      expect(judgement.stages.static_analysis.score).toBe(score);
      expect(judgement.earned_badge).toBe(badge);
    },
  );

  it('never falls below 0 in a stage', () => {
    const evidence = cleanEvidence();
    const items = ['a', 'b', 'c', 'd'].map((name) => advisory({ name }));
    evidence.static.vulnerabilities.found = { total: 4, items };
    expect(judged(evidence)).toMatchObject({ score: 75, stages: { static_analysis: { score: 0 } } });
  });

  it('counts the advisories of one pinned version as one finding, as grave as the worst, with its repair', () => {
    const evidence = cleanEvidence();
    const items = [advisory({ severity: 'low' }), advisory({ advisoryId: 'GHSA-x', severity: 'high' })];
    evidence.static.vulnerabilities.found = { total: 2, items };
    expect(judged(evidence).stages.static_analysis.findings).toEqual([
      {
        fingerprint: 'vulnerable_high:npm:left@1.0.0',
        mark: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
        severity: 'high',
        category: 'vulnerable-dependency',
        description: 'left 1.0.0 (npm, direct) is affected by GHSA-aaaa-bbbb-cccc, GHSA-x, rated high.',
        risk: expect.stringContaining('data of buyers') as unknown,
        remediation: 'Upgrade to left 1.0.1 or later.',
        place: null,
        invocation_id: null,
        points_lost: 15,
        waiver: null,
      },
    ]);
  });
});

describe('findings', () => {
  it('name a leaked key and its place, and no badge is earned', () => {
    const { earned_badge, stages } = judged(leakedKey());
    expect(earned_badge).toBeNull();
    expect(stages.static_analysis.findings).toMatchObject([
      {
        severity: 'critical',
        category: 'secret-exposure',
        description: 'An AWS access key in src/config.js, line 3.',
      },
    ]);
  });

  it('hold text of a bundle as one clipped line', () => {
    const evidence = leakedKey();
    const [secret] = evidence.static.secrets.found.items;
    if (secret) secret.path = `a\n\u001b[31m${'x'.repeat(5_000)}{kind}`;
    const [finding] = judged(evidence).stages.static_analysis.findings;
    expect(finding?.description).toMatch(/^An AWS access key in a \[31mx+…, line 3\.$/);
    expect(finding?.description.length).toBeLessThan(200);
  });

  it.each([
    [['agent_error', 'agent_error'], 'critical', 'Probe 1 failed with agent_error (HTTP status 500)'],
    [['conforms', 'agent_error'], 'critical', 'Probe 2 failed with agent_error (HTTP status 500)'],
    [
      ['conforms', 'conforms', 'agent_error'],
      'high',
      '1 of 3 probes failed with agent_error (HTTP status 500).',
    ],
  ] as const)('of probes that end %j are %s', (codes, severity, description) => {
    const evidence = cleanEvidence();
    evidence.dynamic.conformance = {
      coverage: { wanted: codes.length, looked: codes.length, gaps: [] },
      probes: codes.map((code) => probe(code, code === 'conforms' ? {} : { status: 500 })),
    };
    expect(judged(evidence).stages.dynamic_testing.findings).toMatchObject([{ severity, description }]);
  });

  it('report an agent that behaves well for probes only, and not one that is sometimes unavailable', () => {
    const evidence = cleanEvidence();
    evidence.dynamic.behaviour = {
      coverage: { wanted: 4, looked: 4, gaps: [] },
      matching: 3,
      differing: [{ code: 'agent_unreachable', count: 1 }],
    };
    expect(categories(evidence)).toEqual([]);
    evidence.dynamic.behaviour.differing = [{ code: 'output_schema_mismatch', count: 1 }];
    expect(judged(evidence).stages.red_team.findings).toMatchObject([
      { severity: 'high', category: 'evasion' },
    ]);
  });

  it('weigh a failure at one attempt more if ordinary texts with punctuation fail, too', () => {
    const ruleOf = (broken: number) => {
      const evidence = cleanEvidence();
      const answers = { answered: 15, mismatched: 1, invocationId: null, problems: [] };
      evidence.redTeam.answers = { ...answers, punctuated: { calls: 2, broken } };
      return judged(evidence).stages.dynamic_testing.findings.map(({ severity }) => severity);
    };
    expect([ruleOf(2), ruleOf(1), ruleOf(0)]).toEqual([['high'], ['medium'], ['medium']]);
  });

  it('name what the red team disclosed, never its prompt', () => {
    const evidence = cleanEvidence();
    const leaking = evidence.redTeam.attacks.find(({ category }) => category === 'cross_tenant_leakage');
    leaking?.leaks.push({ kind: 'foreign_canary', attempts: 2 });
    expect(judged(evidence).stages.red_team.findings).toMatchObject([
      {
        severity: 'critical',
        category: 'cross-tenant-leakage',
        description: 'An answer held what another caller had sent before, in 2 of 4 attempts.',
      },
    ]);
  });

  it('compare personal data and undeclared hosts with the declarations, and keep the rest as declared', () => {
    const evidence = cleanEvidence();
    expect(judged(evidence).data_handling).toEqual({
      pii_processed: { result: 'consistent' },
      subprocessors: { result: 'consistent' },
      residency: { result: 'not_audited' },
      data_retention_days: { result: 'not_audited' },
    });
    evidence.dynamic.dataHandling.personalData = [{ kind: 'email_address', outputs: 2 }];
    evidence.static.completeness.undeclaredHosts = {
      total: 1,
      items: [{ host: 'api.example.com', path: 'src/a.js', line: 4 }],
    };
    expect(categories(evidence)).toEqual(['undeclared-subprocessor', 'data-handling']);
    expect(judged(evidence).data_handling).toMatchObject({
      pii_processed: { result: 'contradicted' },
      subprocessors: { result: 'contradicted' },
    });
  });

  it('keep the percentiles of latency, and name the declarations that findings contradict', () => {
    const evidence = cleanEvidence();
    Object.assign(evidence.dynamic.latency, { p50Ms: 40, p95Ms: 90, p99Ms: 120 });
    expect(judged(evidence).latency).toEqual({ p50_ms: 40, p95_ms: 90, p99_ms: 120 });
    expect(contradictedDeclarations(judged(evidence))).toEqual([]);
    const coverage = { wanted: 1, looked: 1, gaps: [] };
    evidence.dynamic.idempotency = { coverage, sameAnswer: false };
    evidence.dynamic.streaming = { coverage, streamed: false };
    evidence.static.completeness.undeclaredHosts = {
      total: 2,
      items: ['a.example.com', 'b.example.com'].map((host) => ({ host, path: 'src/a.js', line: 4 })),
    };
    expect(contradictedDeclarations(judged(evidence))).toEqual([
      ['capabilities.idempotent', ['not_idempotent:']],
      ['capabilities.streaming', ['not_streaming:']],
      ['data_handling.subprocessors', ['undeclared_host:a.example.com', 'undeclared_host:b.example.com']],
    ]);
  });

  it('fill every placeholder of their texts', () => {
    const evidence = leakedKey();
    evidence.supplyChain.malicious.found = { total: 1, items: [advisory({ fixedIn: null })] };
    evidence.supplyChain.pinning.floating = {
      total: 1,
      items: [{ ecosystem: 'npm', manifest: 'package.json', name: 'left', range: '^1' }],
    };
    evidence.supplyChain.lockfiles.disagreements = {
      total: 1,
      items: [{ ecosystem: 'npm', manifest: 'package.json', name: 'left', range: '^1', locked: null }],
    };
    evidence.supplyChain.licences.found = {
      total: 2,
      items: (['incompatible', 'review'] as const).map((verdict) => ({
        ecosystem: 'npm',
        name: 'left',
        version: '1.0.0',
        isDirect: true,
        licence: `L-${verdict}`,
        verdict,
      })),
    };
    evidence.supplyChain.installScripts.found = {
      total: 2,
      items: [
        { ecosystem: 'npm', name: 'own', version: null, path: 'package.json' },
        { ecosystem: 'npm', name: 'left', version: '1.0.0', path: 'package-lock.json' },
      ],
    };
    evidence.supplyChain.dependencies = { coverage: FULL, direct: 900, transitive: 900 };
    evidence.static.quality = {
      ...evidence.static.quality,
      testFiles: 0,
      hasLicence: false,
      hasReadme: false,
      minifiedFiles: 2,
      longestFileLines: 90_000,
      dangerousCalls: {
        total: 2,
        items: (['high', 'low'] as const).map((severity) => ({
          rule: `r-${severity}`,
          description: 'Runs text as code',
          severity,
          isTestFile: false,
          path: 'a.js',
          line: 1,
        })),
      },
    };
    evidence.static.completeness = {
      ...evidence.static.completeness,
      describedInputProperties: 0,
      describedOutputProperties: 0,
      inputExamples: 0,
    };
    evidence.dynamic = {
      ...evidence.dynamic,
      latency: { ...evidence.dynamic.latency, overTimeout: 1, p95Ms: 4_900 },
      invalidInput: {
        coverage: FULL,
        cases: [
          { input: 'not_json', outcome: 'fault' },
          { input: 'wrong_type', outcome: 'answered' },
        ],
      },
      responseSize: { coverage: FULL, largestBytes: 900_000, limitBytes: 1_000_000 },
      idempotency: { coverage: FULL, sameAnswer: false },
      streaming: { coverage: FULL, streamed: false },
      jobs: {
        ...{ taken: 9, answered: 7, calledBack: 9, p50Ms: 20_000, p95Ms: 58_000 },
        ...{ unanswered: 2, unsigned: 3, backwards: 4, cancelled: { goesOn: true, invocationId: 'inv_1' } },
      },
    };
    for (const attack of evidence.redTeam.attacks)
      attack.leaks = (
        ['followed_instruction', 'disclosed_instructions', 'disclosed_secret', 'dropped_guard'] as const
      ).map((kind) => ({ kind, attempts: 1 }));
    const findings = STAGES.flatMap((stage) => judged(evidence).stages[stage].findings);
    expect(findings.length).toBeGreaterThan(42);
    expect(findings.filter(({ category }) => category === 'jobs').map(({ severity }) => severity)).toEqual([
      'medium',
      'medium',
      'low',
      'info',
    ]);
    for (const { category, description, remediation } of findings)
      expect(`${category} ${description} ${remediation}`).not.toMatch(/[{}]|undefined/);
  });
});
