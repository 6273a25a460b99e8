import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder } from './market-folder';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'market-folder-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('marks a new folder, and accepts it at the next start', () => {
  const fresh = join(home, '.market');
  claimFolder(fresh);
  mkdirSync(join(fresh, 'postgres'));
  claimFolder(fresh);
  expect(readFileSync(join(fresh, 'schema'), 'utf8')).toBe('months\n');
});

it('refuses a folder of an earlier version and touches nothing in it', () => {
  mkdirSync(join(home, 'postgres'));
  writeFileSync(join(home, 'secrets.json'), '{}');
  expect(() => claimFolder(home)).toThrow(
    `the data in ${home} was made by another version of the service, which this version cannot migrate; nothing was ` +
      'changed. Remove the folder (with all its data) and start again, or set MARKET_HOME to another folder',
  );
  expect(readdirSync(home).sort()).toEqual(['postgres', 'secrets.json']);
});

it('refuses a folder that began with another schema', () => {
  writeFileSync(join(home, 'schema'), '0001_people\n');
  expect(() => claimFolder(home)).toThrow('made by another version');
  expect(readFileSync(join(home, 'schema'), 'utf8')).toBe('0001_people\n');
});
