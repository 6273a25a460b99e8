/** Measures what is found in files that tools read, with the part from which no rule is written counted alone. */
import { FIRST_RUBRIC } from '../../src/verification/scoring/first-rubric';
import { observeStatic, observeSupplyChain } from '../../src/verification/scoring/observe-bundle';
import { createBundleReader } from '../../src/verification/bundles/bundle-facts';
import type { ScannedManifest } from '../../src/verification/bundles/completeness';
import type { Severity } from '../../src/domain/verification/trust';
import { bundleOf } from '../support/verification/bundles';
import { BAD_TOOL_FILES } from './files/bad-tool-files';
import { BAD_DEPENDENCIES, GOOD_DEPENDENCIES } from './files/dependency-tricks';
import { SECRETS_BY_CONTEXT } from './files/secret-contexts';
import { partOf, type Files, type FilesCase } from './files/cases';
import { GOOD_TOOL_FILES } from './files/good-tool-files';
import type { CorpusResult } from './measure';

const MANIFEST = {
  description: 'An agent of a corpus.',
  tags: [],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: [] },
} as unknown as ScannedManifest;

const NONE = { coverage: { wanted: 0, looked: 0, gaps: [] }, found: { total: 0, items: [] } };
const DEPENDENCIES = /^(?:imitated_package|foreign_source|networked_install_script|malicious_package)$/;
const MALICE = /^(?:malicious_code|suspicious_code|networked_install_script)$/;

let reader: ReturnType<typeof createBundleReader> | undefined;

/** The severities of the findings of these rules, with the rule of each. */
export async function findingsIn(
  files: Files,
  rules: RegExp,
): Promise<{ severity: Severity; what: string }[]> {
  reader ??= createBundleReader();
  const entries = Object.entries(files).map(([path, text]) => ({ path, text }));
  const facts = await reader(bundleOf(entries), MANIFEST);
  const observations = [
    ...observeStatic({ ...facts.static, vulnerabilities: NONE }, FIRST_RUBRIC.limits),
    ...observeSupplyChain({ ...facts.supplyChain, malicious: NONE }, FIRST_RUBRIC.limits),
  ];
  return observations
    .filter(({ rule }) => rules.test(rule))
    .map(({ rule, subject }) => ({ severity: FIRST_RUBRIC.severities[rule], what: `${rule} ${subject}` }));
}

const IS_GRAVE: Record<'high' | 'medium' | 'low', (severity: Severity) => boolean> = {
  high: (severity) => severity === 'high' || severity === 'critical',
  low: (severity) => severity !== 'info',
  medium: (severity) => severity === 'medium' || severity === 'high' || severity === 'critical',
};

async function measureParts(
  corpus: string,
  [bad, good]: readonly [readonly FilesCase[], readonly FilesCase[]],
  [rules, least]: readonly [RegExp, keyof typeof IS_GRAVE],
): Promise<CorpusResult[]> {
  const results: CorpusResult[] = [];
  for (const part of ['rules', 'held'] as const) {
    const ofPart = (cases: readonly FilesCase[]) => cases.filter((one) => partOf(one) === part);
    const result: CorpusResult = { corpus: `${corpus}, ${least}, ${part}`, cases: 0, found: 0, toFind: 0, falseAlarms: 0, wrong: [] }; // prettier-ignore
    const isFoundIn = async ({ files }: FilesCase) =>
      (await findingsIn(files, rules)).some(({ severity }) => IS_GRAVE[least](severity));
    for (const one of ofPart(bad)) {
      const isFound = await isFoundIn(one);
      result.found += Number(isFound);
      if (!isFound) result.wrong.push(one.name);
    }
    for (const one of ofPart(good)) {
      const isFound = await isFoundIn(one);
      result.falseAlarms += Number(isFound);
      if (isFound) result.wrong.push(one.name);
    }
    result.toFind = ofPart(bad).length;
    result.cases = result.toFind + ofPart(good).length;
    results.push(result);
  }
  return results;
}

/** Files of tools: a finding of medium or above, and one of high or above, in each bad case and in no good one. */
export async function measureToolFiles(): Promise<CorpusResult[]> {
  const cases = [BAD_TOOL_FILES, GOOD_TOOL_FILES] as const;
  return [
    ...(await measureParts('files of tools', cases, [MALICE, 'medium'])),
    ...(await measureParts('files of tools', cases, [MALICE, 'high'])),
  ];
}

/** Tricks with dependencies: a finding of medium or above. */
export async function measureDependencyTricks(): Promise<CorpusResult[]> {
  return measureParts(
    'tricks with dependencies',
    [BAD_DEPENDENCIES, GOOD_DEPENDENCIES],
    [DEPENDENCIES, 'medium'],
  );
}

/** Secrets that their context or their checksum shows: any finding. */
export async function measureSecretsByContext(): Promise<CorpusResult[]> {
  const cases = (is: 'secret' | 'none') =>
    SECRETS_BY_CONTEXT.filter((one) => one.is === is).map(({ name, path, text }) => ({
      name,
      files: { [path]: text },
    }));
  return measureParts('secrets by context', [cases('secret'), cases('none')], [/^secret_/, 'low']);
}
