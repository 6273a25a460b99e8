import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, pathFailure, type CliFailure } from './failure';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-paths-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function failureOf(run: () => unknown): CliFailure | undefined {
  try {
    run();
  } catch (error) {
    return pathFailure(error);
  }
  throw new Error('It did not fail.');
}

describe('a path that cannot be used', () => {
  it('is wrong usage, and the message is a sentence about the path', () => {
    const missing = join(folder, 'missing.json');
    expect(failureOf(() => readFileSync(missing))).toMatchObject({
      message: `${missing} does not exist`,
      exitCode: EXIT.usage,
    });
    expect(failureOf(() => readFileSync(folder, 'utf8'))).toBeUndefined();
    expect(failureOf(() => writeFileSync(folder, ''))?.message).toBe(`${folder} is a folder, not a file`);
  });

  it('is distinguished from every other error', () => {
    expect(failureOf(() => JSON.parse('{'))).toBeUndefined();
    expect(pathFailure(Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' }))).toBeUndefined();
  });
});
