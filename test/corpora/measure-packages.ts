/** Measures the readers of lockfiles, licences and names of packages against the corpora of this folder. */
import { licenceChoices } from '../../src/kit/packages/licence-expression';
import { readDependencies } from '../../src/verification/packages/dependencies';
import { fromOthers } from '../../src/verification/packages/package-facts';
import { imitated } from '../../src/verification/packages/imitated-names';
import { LICENCE_CASES } from './licences';
import { LOCKFILE_CASES, type LockfileCase } from './lockfiles';
import type { CorpusResult } from './measure';
import { IMITATING, ORDINARY_NAMES } from './names';

/**
 * Packages of lockfiles. A package that is read with the wrong version, name or use counts as missed and as a false
 * alarm.
 */
export function measureLockfiles(): CorpusResult {
  const result: CorpusResult = {
    corpus: 'lockfiles',
    cases: 0,
    found: 0,
    toFind: 0,
    falseAlarms: 0,
    wrong: [],
  };
  for (const one of LOCKFILE_CASES) {
    const read = packagesIn(one);
    const wanted = new Set(one.packages);
    const missing = [...wanted].filter((name) => !read.has(name));
    const extra = [...read].filter((name) => !wanted.has(name));
    result.cases += 1;
    result.toFind += wanted.size;
    result.found += wanted.size - missing.length;
    result.falseAlarms += extra.length;
    if (missing.length + extra.length > 0)
      result.wrong.push(`${one.name} (without ${missing.join(' ') || '–'}; with ${extra.join(' ') || '–'})`);
  }
  return result;
}

function packagesIn({ files }: LockfileCase): Set<string> {
  const texts = Object.entries(files).map(([path, text]) => ({
    path,
    text,
    isTest: false,
    isForeign: false,
  }));
  const { packages } = readDependencies({ texts } as unknown as Parameters<typeof readDependencies>[0]);
  return new Set(
    fromOthers(packages).map(({ name, version, isDev }) => `${isDev ? 'dev:' : ''}${name}@${version}`),
  );
}

/** Ids of former times mean the same as the current ones: `GPL-2.0+` is `GPL-2.0-or-later`. */
function current(choices: string[][] | undefined): string {
  return JSON.stringify(choices ?? null).replace(
    /((?:A|L)?GPL-\d\.\d)(\+?)"/g,
    (_, id: string, plus: string) => `${id}-${plus ? 'or-later' : 'only'}"`,
  );
}

/** Licences: a text that names one must be read as it, and no other text as a licence. */
export function measureLicences(): CorpusResult {
  const result: CorpusResult = {
    corpus: 'licences',
    cases: LICENCE_CASES.length,
    found: 0,
    toFind: 0,
    falseAlarms: 0,
    wrong: [],
  };
  for (const [written, choices] of LICENCE_CASES) {
    const read = licenceChoices(written);
    const isRight = current(read) === current(choices);
    if (choices) result.toFind += 1;
    if (choices && isRight) result.found += 1;
    if (read && !isRight) result.falseAlarms += 1;
    if (!isRight) result.wrong.push(`${written} (${JSON.stringify(read)})`);
  }
  return result;
}

/** Names that imitate popular ones, and ordinary ones. */
export function measureNames(): CorpusResult[] {
  return (['npm', 'PyPI'] as const).map((ecosystem) => {
    const missed = IMITATING[ecosystem].filter((name) => !imitated(ecosystem, name));
    const alarms = ORDINARY_NAMES[ecosystem].filter((name) => imitated(ecosystem, name));
    const toFind = IMITATING[ecosystem].length;
    return {
      corpus: `imitating names, ${ecosystem}`,
      cases: toFind + ORDINARY_NAMES[ecosystem].length,
      found: toFind - missed.length,
      toFind,
      falseAlarms: alarms.length,
      wrong: [...missed, ...alarms],
    };
  });
}
