/** Measures the scanners against the corpora of this folder. */
import { FIRST_RUBRIC } from '../../src/verification/scoring/first-rubric';
import { observeStatic } from '../../src/verification/scoring/observe-bundle';
import { createBundleReader } from '../../src/verification/bundles/bundle-facts';
import type { ScannedManifest } from '../../src/verification/bundles/completeness';
import type { Severity } from '../../src/domain/verification/trust';
import { bundleOf } from '../support/verification/bundles';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MALWARE_CASES, ORDINARY_FILES, ORDINARY_LIBRARIES } from './malware';
import { UNSEEN_MALWARE } from './malware-unseen';
import { SECRET_CASES, type SecretCase } from './secrets';
import { SECRETS_IN_FILES } from './secrets-files';
import { SECRETS_OF_ISSUERS } from './secrets-issuers';
import { SECRETS_OF_SCANNERS } from './secrets-scanners';

/** Result of one corpus. `wrong`: names of cases that the scanner decided wrongly. */
export interface CorpusResult {
  corpus: string;
  cases: number;
  /** Found of those to find. */
  found: number;
  toFind: number;
  falseAlarms: number;
  wrong: string[];
}

export function precisionOf({ found, falseAlarms }: CorpusResult): number {
  return found + falseAlarms === 0 ? 1 : found / (found + falseAlarms);
}

export function recallOf({ found, toFind }: CorpusResult): number {
  return toFind === 0 ? 1 : found / toFind;
}

const MANIFEST = {
  description: 'An agent of a corpus.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;

let reader: ReturnType<typeof createBundleReader> | undefined;

/** The severities of the static findings about secrets, or about code, in these files. */
async function severitiesOf(files: Record<string, string>, rules: RegExp): Promise<Severity[]> {
  reader ??= createBundleReader();
  const facts = await reader(bundleOf(files), MANIFEST);
  const none = { coverage: { wanted: 0, looked: 0, gaps: [] }, found: { total: 0, items: [] } };
  const observations = observeStatic({ ...facts.static, vulnerabilities: none }, FIRST_RUBRIC.limits);
  return observations.filter(({ rule }) => rules.test(rule)).map(({ rule }) => FIRST_RUBRIC.severities[rule]);
}

/** Secrets: any finding in a case with a secret is right; a public value may have one of at most severity medium. */
export async function measureSecrets(): Promise<{ all: CorpusResult; critical: CorpusResult }> {
  return measureSecretCases('secrets', SECRET_CASES);
}

/** The same for secrets as they stand in files. */
export async function measureSecretsInFiles(): Promise<{ all: CorpusResult; critical: CorpusResult }> {
  return measureSecretCases('secrets in files', SECRETS_IN_FILES);
}

/** The same for one key of each of many issuers, all of them secrets. */
export async function measureSecretsOfIssuers(): Promise<CorpusResult> {
  return (await measureSecretCases('secrets of issuers', SECRETS_OF_ISSUERS)).all;
}

/** The same for forms that the cases of other scanners showed. */
export async function measureSecretsOfScanners(): Promise<{ all: CorpusResult; critical: CorpusResult }> {
  return measureSecretCases('secrets of scanners', SECRETS_OF_SCANNERS);
}

async function measureSecretCases(corpus: string, cases: readonly SecretCase[]) {
  const all: CorpusResult = { corpus, cases: cases.length, found: 0, toFind: 0, falseAlarms: 0, wrong: [] };
  const critical: CorpusResult = { ...all, corpus: `${corpus}, critical`, wrong: [] };
  for (const { name, path, text, is } of cases) {
    const severities = await severitiesOf({ [path]: text }, /^secret_/);
    const isCritical = severities.includes('critical');
    const isFound = severities.length > 0;
    all.toFind += Number(is === 'secret');
    if (is === 'secret') all.found += Number(isFound);
    const isFalse = is === 'none' ? isFound : is === 'public' && severities.some((one) => one === 'critical' || one === 'high'); // prettier-ignore
    all.falseAlarms += Number(isFalse);
    if (isFalse || (is === 'secret' && !isFound)) all.wrong.push(name);
    critical.toFind += Number(is === 'secret');
    if (isCritical && is === 'secret') critical.found += 1;
    if (isCritical && is !== 'secret') {
      critical.falseAlarms += 1;
      critical.wrong.push(name);
    }
  }
  return { all, critical };
}

/** Malware: a finding of medium or above in each style, and none in ordinary libraries. */
export async function measureMalware(): Promise<CorpusResult> {
  const rules = /^(?:malicious_code|suspicious_code|dangerous_call)$/;
  const styles = [...MALWARE_CASES, ...UNSEEN_MALWARE];
  const result: CorpusResult = { corpus: 'malware', cases: styles.length + ORDINARY_FILES.length + ORDINARY_LIBRARIES.length, found: 0, toFind: styles.length, falseAlarms: 0, wrong: [] }; // prettier-ignore
  for (const { name, path, text } of styles) {
    const isFound = (await severitiesOf({ [path]: text }, rules)).length > 0;
    result.found += Number(isFound);
    if (!isFound) result.wrong.push(name);
  }
  for (const { name, path, text } of ORDINARY_FILES) {
    const isFalse = (await severitiesOf({ [path]: text }, rules)).length > 0;
    result.falseAlarms += Number(isFalse);
    if (isFalse) result.wrong.push(name);
  }
  for (const name of ORDINARY_LIBRARIES) {
    const isFalse = (await severitiesOf(libraryFiles(name), rules)).length > 0;
    result.falseAlarms += Number(isFalse);
    if (isFalse) result.wrong.push(name);
  }
  return result;
}

/** The source files of an installed package, up to 60. */
function libraryFiles(name: string): Record<string, string> {
  const root = join(__dirname, '../../node_modules', name);
  const paths = readdirSync(root, { recursive: true }) as string[];
  const source = paths.filter((path) => /\.[cm]?js$/.test(path) && !path.includes('node_modules'));
  const files = source.filter((path) => statSync(join(root, path)).isFile()).slice(0, 60);
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
