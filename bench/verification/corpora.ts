/** The table of precision and recall on the corpora of `test/corpora`. Each corpus is one entry of `CORPORA`. */
import {
  type CorpusResult,
  measureMalware,
  measureSecrets,
  measureSecretsInFiles,
  measureSecretsOfIssuers,
  measureSecretsOfScanners,
  precisionOf,
  recallOf,
} from '../../test/corpora/measure';
import { measureLicences, measureLockfiles, measureNames } from '../../test/corpora/measure-packages';
import {
  measureDependencyTricks,
  measureSecretsByContext,
  measureToolFiles,
} from '../../test/corpora/measure-files';
import { measureRanges, measureVersions } from '../../test/corpora/osv/measure-versions';

/** Measures each corpus. Add a line for a new one. */
const CORPORA: readonly (() => Promise<CorpusResult[]>)[] = [
  async () => Object.values(await measureSecrets()),
  async () => Object.values(await measureSecretsInFiles()),
  async () => [await measureSecretsOfIssuers()],
  async () => Object.values(await measureSecretsOfScanners()),
  async () => [await measureMalware()],
  measureToolFiles,
  measureDependencyTricks,
  measureSecretsByContext,
  () => Promise.resolve([...measureVersions(), measureRanges()]),
  () => Promise.resolve([measureLockfiles(), measureLicences(), ...measureNames()]),
];

export async function printCorpora(): Promise<void> {
  console.log(`${'corpus'.padEnd(32)} cases  precision  recall  wrong`);
  for (const measure of CORPORA)
    for (const result of await measure()) {
      const { corpus, cases, wrong } = result;
      const figures = [precisionOf(result), recallOf(result)].map((share) => share.toFixed(3));
      console.log(
        `${corpus.padEnd(32)} ${String(cases).padStart(5)} ${figures[0]?.padStart(10)} ${figures[1]?.padStart(7)}  ${wrong.join(', ')}`,
      );
    }
}
