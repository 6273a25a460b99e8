import { createHash } from 'node:crypto';
import { measureLicences, measureLockfiles, measureNames } from '../../test/corpora/measure-packages';
import {
  generatedPypiVersions,
  measureRanges,
  measureVersions,
} from '../../test/corpora/osv/measure-versions';
import {
  measureMalware,
  measureSecrets,
  measureSecretsInFiles,
  measureSecretsOfIssuers,
  measureSecretsOfScanners,
  precisionOf,
  recallOf,
} from '../../test/corpora/measure';
import { SECRETS_BY_CONTEXT } from '../../test/corpora/files/secret-contexts';
import {
  findingsIn,
  measureDependencyTricks,
  measureSecretsByContext,
  measureToolFiles,
} from '../../test/corpora/measure-files';
import { linearPattern } from '../kit/masking/linear-search';
import { MALWARE_RULES } from './data/malware-rules';
import { TOOL_FILE_RULES } from './data/tool-file-rules';
import { OWN_RULES } from './data/secret-rules';
import { readRules } from './secrets/secret-rules';
import { vendoredText } from './vendored-data';

it('finds secrets in all forms, and few values that only look like them', async () => {
  const { all, critical } = await measureSecrets();
  expect(all.wrong).toEqual([]);
  expect(precisionOf(all)).toBeGreaterThanOrEqual(0.95);
  expect(recallOf(all)).toBeGreaterThanOrEqual(0.85);
  expect(precisionOf(critical)).toBeGreaterThanOrEqual(0.98);
});

it('finds secrets in the lines of real files', async () => {
  const { all, critical } = await measureSecretsInFiles();
  expect(precisionOf(all)).toBeGreaterThanOrEqual(0.98);
  expect(recallOf(all)).toBeGreaterThanOrEqual(0.95);
  expect(precisionOf(critical)).toBe(1);
});

it('finds keys of hundreds of issuers beside their names', async () => {
  expect(recallOf(await measureSecretsOfIssuers())).toBeGreaterThanOrEqual(0.95);
}, 60_000);

it('finds the forms of the cases of other scanners, and rates no key of a library as critical', async () => {
  const { all, critical } = await measureSecretsOfScanners();
  expect([all.wrong, critical.wrong]).toEqual([[], []]);
  expect(recallOf(all)).toBe(1);
});

it('has no own rule for secrets that replaces a shipped one by its name', () => {
  const shipped = new Set(readRules(vendoredText('gitleaks/gitleaks.toml')).map(({ id }) => id));
  expect(OWN_RULES.map(({ id }) => id).filter((id) => shipped.has(id))).toEqual([]);
});

it('finds the styles of malware, and few alarms in ordinary libraries', async () => {
  const result = await measureMalware();
  expect(recallOf(result)).toBeGreaterThanOrEqual(0.9);
  expect(result.falseAlarms).toBeLessThanOrEqual(1);
}, 120_000);

it('finds malice in the files that tools read, also in the third from which no rule was written', async () => {
  const results = await measureToolFiles();
  for (const result of results) expect(recallOf(result)).toBeGreaterThanOrEqual(0.85);
  for (const result of results.filter(({ corpus }) => corpus.endsWith('rules')))
    expect(result.falseAlarms).toBe(0);
  for (const result of results) expect(result.falseAlarms).toBeLessThanOrEqual(1);
}, 60_000);

it('finds tricks with dependencies, also in the third from which no rule was written', async () => {
  for (const result of await measureDependencyTricks()) {
    expect(recallOf(result)).toBeGreaterThanOrEqual(0.8);
    expect(result.falseAlarms).toBeLessThanOrEqual(1);
  }
}, 60_000);

it('finds secrets that their context or checksum shows, also in the third from which no rule was written', async () => {
  for (const result of await measureSecretsByContext()) {
    expect(recallOf(result)).toBeGreaterThanOrEqual(0.94);
    expect(precisionOf(result)).toBeGreaterThanOrEqual(0.96);
  }
}, 60_000);

it('weighs a key in a document as in code when it proves itself', async () => {
  const rulesIn = async (path: string, text: string) =>
    (await findingsIn({ [path]: text }, /^secret_/)).map(({ what }) => what.split(' ')[0]);
  const key = SECRETS_BY_CONTEXT.find(({ name }) => name === 'token of GitHub in a document')?.text ?? '';
  await expect(rulesIn('README.md', key)).resolves.toEqual(['secret_exposure']);
  await expect(rulesIn('tests/README.md', key)).resolves.toEqual(['secret_in_tests']);
});

it('has rules for malware that the engine accepts', () => {
  for (const { regex, also = [] } of [...MALWARE_RULES, ...TOOL_FILE_RULES])
    for (const pattern of [regex, ...also])
      expect(() => linearPattern(`(?m)${pattern}`).test('')).not.toThrow();
});

it('reads lockfiles of every format, licences as people write them, and names that imitate others', () => {
  expect([measureLockfiles(), measureLicences()].flatMap(({ wrong }) => wrong)).toEqual([]);
  for (const result of measureNames()) {
    expect(recallOf(result)).toBeGreaterThanOrEqual(0.75);
    expect(precisionOf(result)).toBeGreaterThanOrEqual(0.9);
  }
});

it('derives the pairs of PyPI releases exactly as the scanner of OSV lists them', () => {
  const digest = createHash('sha256').update(generatedPypiVersions()).digest('hex');
  expect(digest).toBe('1c4cefa1e20df4353e6865c31fcb3a3acec29c4a9817e4c0352372698dea7ba4');
});

it('orders versions, and decides whether an advisory affects them, as the scanner of OSV does', () => {
  const versions = measureVersions();
  expect(versions.map(({ corpus, cases }) => [corpus, cases])).toEqual([
    ['semver-versions', 86],
    ['pypi-versions', 37],
    ['pypi-versions-generated', 12_375],
  ]);
  expect([...versions, measureRanges()].flatMap(({ wrong }) => wrong)).toEqual([]);
});
