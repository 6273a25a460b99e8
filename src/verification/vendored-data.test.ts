import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linearPattern } from '../kit/masking/linear-search';
import { licenceMatrix } from './packages/licence-matrix';
import { readRules, secretRules } from './secrets/secret-rules';
import { vendoredText } from './vendored-data';

const FOLDER = join(__dirname, 'data');

it('are the files with the recorded origin, licence and hash', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(['gitleaks', 'osadl', 'popular']);
  for (const { name: folder } of folders) {
    const files = readdirSync(join(FOLDER, folder));
    expect(files).toHaveLength(2);
    expect(files).toContain('LICENSE');
    const name = `${folder}/${files.find((file) => file !== 'LICENSE')}`;
    const hash = createHash('sha256').update(vendoredText(name)).digest('hex');
    expect(readme.split('\n').find((line) => line.includes(`\`${name}\``))).toContain(hash);
  }
});

describe('the rules of gitleaks', () => {
  const rules = readRules(vendoredText('gitleaks/gitleaks.toml'));

  it('can all be run in linear time, with their allow lists', () => {
    expect(rules.length).toBeGreaterThanOrEqual(221);
    for (const { regex, path, allow = [] } of rules)
      for (const pattern of [regex, path, ...allow.map((one) => one.regex)])
        if (pattern !== undefined) expect(() => linearPattern(pattern)).not.toThrow();
  });

  it('come before our own, and an operator’s file replaces those of its ids', () => {
    const ids = secretRules().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.indexOf('github-pat')).toBeLessThan(ids.indexOf('marketplace-key'));
    const given =
      "[[rules]]\nid = 'github-pat'\nregex = '''mine'''\n[[rules]]\nid = 'new'\nregex = '''new'''\n";
    const own = secretRules(given);
    expect(own).toHaveLength(ids.length + 1);
    expect(own.find(({ id }) => id === 'github-pat')?.regex).toBe('mine');
  });

  it('are marked as a guess if they match only the name of an issuer', () => {
    const guesses = new Map(secretRules().map(({ id, isGuess = false }) => [id, isGuess]));
    expect(guesses.get('generic-api-key')).toBe(true);
    expect(guesses.get('adobe-client-id')).toBe(true);
    expect(guesses.get('github-pat')).toBe(false);
    expect(guesses.get('private-key')).toBe(false);
  });
});

it('has a verdict of the matrix for each pair of its licences', () => {
  const matrix = licenceMatrix();
  expect(matrix.size).toBe(110);
  const words = new Set([...matrix.values()].flatMap((row) => [...row.values()]));
  expect([...words].sort()).toEqual(['Check dependency', 'No', 'Same', 'Unknown', 'Yes']);
  for (const [own, row] of matrix) {
    expect(row.size).toBe(110);
    expect(row.get(own)).toBe('Same');
  }
});
