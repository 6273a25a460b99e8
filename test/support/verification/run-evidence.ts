/** Evidence of a run that examined everything and found nothing; each test changes one part. */
import type { CheckCoverage } from '../../../src/domain/evidence/evidence-facts';
import { ATTACK_CATEGORIES } from '../../../src/domain/evidence/leak-kinds';
import type { RunEvidence } from '../../../src/domain/verification/probe-facts';

export const FULL: CheckCoverage = { wanted: 1, looked: 1, gaps: [] };
const nothing = () => ({ total: 0, items: [] });

export function cleanEvidence(): RunEvidence {
  return {
    static: {
      secrets: { coverage: FULL, found: nothing() },
      vulnerabilities: { coverage: FULL, found: nothing() },
      quality: {
        coverage: FULL,
        files: 10,
        sourceFiles: 6,
        sourceBytes: 9_000,
        sourceLines: 300,
        testFiles: 2,
        longestFileLines: 90,
        minifiedFiles: 0,
        hasReadme: true,
        hasLicence: true,
        dangerousCalls: nothing(),
      },
      completeness: {
        coverage: FULL,
        descriptionLength: 200,
        hasHomepage: true,
        tags: 2,
        inputProperties: 2,
        describedInputProperties: 2,
        outputProperties: 1,
        describedOutputProperties: 1,
        inputExamples: 1,
        declaredSubprocessors: 0,
        hosts: FULL,
        undeclaredHosts: nothing(),
      },
    },
    supplyChain: {
      lockfiles: { coverage: FULL, found: [], disagreements: nothing() },
      pinning: { coverage: FULL, pinned: 3, floating: nothing() },
      dependencies: { coverage: FULL, direct: 3, transitive: 10 },
      malicious: { coverage: FULL, found: nothing() },
      licences: { coverage: FULL, own: 'MIT', compatible: 13, found: nothing() },
      installScripts: { coverage: FULL, found: nothing() },
    },
    dynamic: {
      conformance: {
        coverage: { wanted: 3, looked: 3, gaps: [] },
        probes: [1, 2, 3].map(() => ({
          code: 'conforms',
          durationMs: 20,
          tries: 1,
          status: null,
          problems: [],
        })),
      },
      latency: { coverage: FULL, timeoutMs: 5_000, overTimeout: 0, p50Ms: 20, p95Ms: 25, p99Ms: 25 },
      invalidInput: { coverage: FULL, cases: [{ input: 'wrong_type', outcome: 'refused' }] },
      responseSize: { coverage: FULL, largestBytes: 100, limitBytes: 1_000_000 },
      idempotency: null,
      streaming: null,
      tools: null,
      dataHandling: {
        declared: { piiProcessed: false, retentionDays: 1, residency: 'eu', subprocessors: 0 },
        coverage: FULL,
        personalData: [],
        notAudited: ['residency', 'retention'],
      },
      behaviour: { coverage: { wanted: 0, looked: 0, gaps: [] }, matching: 0, differing: [] },
    },
    redTeam: {
      suite: '1',
      attacks: ATTACK_CATEGORIES.map((category) => ({
        category,
        coverage: { wanted: 4, looked: 4, gaps: [] },
        leaks: [],
      })),
      answers: { answered: 21, mismatched: 0, invocationId: null, problems: [] },
    },
  };
}

/** The same with a key in the source: a critical finding. */
export function leakedKey(): RunEvidence {
  const evidence = cleanEvidence();
  evidence.static.secrets.found = {
    total: 1,
    items: [
      {
        rule: 'aws-access-token',
        description: 'An AWS access key',
        path: 'src/config.js',
        line: 3,
        isGeneric: false,
        isTestFile: false,
      },
    ],
  };
  return evidence;
}
