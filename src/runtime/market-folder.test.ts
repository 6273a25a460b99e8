import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
  expect(readFileSync(join(fresh, 'schema'), 'utf8')).toBe('detached\n');
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

it('removes the rights of other users to all files of a folder at each start', () => {
  const fresh = join(home, '.market');
  claimFolder(fresh);
  const modeOf = (path: string) => (statSync(join(fresh, path)).mode & 0o777).toString(8);
  expect(modeOf('.')).toBe('700');
  expect(modeOf('schema')).toBe('600');
  mkdirSync(join(fresh, 'logs'));
  writeFileSync(join(fresh, 'logs/api.log'), 'a line');
  for (const path of ['.', 'logs', 'logs/api.log']) chmodSync(join(fresh, path), 0o755);
  claimFolder(fresh);
  expect(['.', 'logs', 'logs/api.log'].map(modeOf)).toEqual(['700', '700', '700']);
  chmodSync(join(fresh, 'logs/api.log'), 0o644);
  claimFolder(fresh);
  expect(modeOf('logs/api.log')).toBe('600');
});
