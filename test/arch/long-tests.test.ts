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
