/** `npm run test:long` runs what `npm test` leaves out, and says what proves the same in `npm test` (ADR 0257). */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesOfDocuments, read } from './repository-files';

const ROOT = join(__dirname, '../..');
const whole = jest.requireActual<string[]>('../support/jest/whole-files.js');

/** What a file takes to leave a part of its tests to the long run. */
const LEAVES_OUT = /\b(?:part|longRows|itLong)\b[^;]*\} from '[^']*\/ledger\/counts'/;

it('runs each file once more, whole, of which npm test runs a part', () => {
  const tests = filesOfDocuments.filter(
    (file) => /^(?:src|test)\/.*\.test\.ts$/.test(file) && !file.startsWith('test/long/'),
  );
  expect(tests.filter((file) => LEAVES_OUT.test(read(file))).sort()).toEqual([...whole].sort());
});

interface Project {
  displayName: string;
  testMatch: string[];
  testPathIgnorePatterns?: string[];
}

/** The projects of jest, with the variables of a command. */
function projectsWith(env: Record<string, string>): Project[] {
  const set: Record<string, string> = { WHOLE_FILES_FOLLOW: '', LONG_TESTS: '', ...env };
  const before = Object.keys(set).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, set);
  try {
    jest.resetModules();
    return jest.requireActual<{ projects: Project[] }>('../../jest.config.js').projects;
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

/** How many of these files each project leaves out. */
function leftOut(projects: Project[]): number[] {
  const ofWhole = (path: string) => whole.includes(path.replace('<rootDir>/', ''));
  return projects.map(({ testPathIgnorePatterns = [] }) => testPathIgnorePatterns.filter(ofWhole).length);
}

/** The project of the files that need a realm of their own names each of them. */
const namesFiles = ({ testMatch }: Project) =>
  testMatch.every((pattern) => pattern.endsWith('.test.ts') && !pattern.includes('*'));

it('leaves these files out of npm test in .ci/run alone, which runs them whole after it', () => {
  const ordinary = projectsWith({});
  const none = ordinary.map(() => 0);
  expect(leftOut(ordinary)).toEqual(none);
  const first = projectsWith({ WHOLE_FILES_FOLLOW: '1' });
  expect(first.filter(namesFiles)).toHaveLength(1);
  expect(leftOut(first)).toEqual(first.map((project) => (namesFiles(project) ? 0 : whole.length)));
  // The long run of the same script.
  expect(leftOut(projectsWith({ WHOLE_FILES_FOLLOW: '1', LONG_TESTS: '1' }))).toEqual([...none, 0]);
  expect(read('.ci/run')).toMatch(/^WHOLE_FILES_FOLLOW=1 npm test -- [^]*^npm run test:long -- /m);
});

describe('the table of long tests', () => {
  const rows = read('test/long/README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1));
  const long = readdirSync(join(ROOT, 'test/long')).filter((file) => file.endsWith('.test.ts'));

  it('has a row for each file', () => {
    const named = rows.map(([file = '']) => file.trim().replaceAll('`', ''));
    const files = [...long, ...whole.map((file) => basename(file))];
    expect([...new Set(named)].sort()).toEqual(files.sort());
  });

  it('names a file of npm test for each promise', () => {
    for (const [file = '', promise = '', proof = ''] of rows) {
      const proofs = [...proof.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, path = '']) => path);
      expect([file, promise.trim().length > 10, proofs.length > 0]).toEqual([file, true, true]);
      expect(proofs.filter((path) => !existsSync(join(ROOT, path)) || path.startsWith('test/long/'))).toEqual(
        [],
      );
    }
  });
});
