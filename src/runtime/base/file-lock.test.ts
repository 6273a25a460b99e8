import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseFileLock, tryFileLock, withFileLock } from './file-lock.cjs';
import { realTime } from '../../../test/support/waits';

describe('a file lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-lock-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names its holder to the second process', () => {
    const path = join(folder, 'deeper/a');
    expect(tryFileLock(path)).toBeUndefined();
    expect(tryFileLock(path)).toBe(process.pid);
    releaseFileLock(path);
    expect(tryFileLock(path)).toBeUndefined();
  });

  it('is taken over from a process that has ended', () => {
    const path = join(folder, 'b');
    writeFileSync(path, String(spawnSync(process.execPath, ['-e', '0']).pid));
    expect(tryFileLock(path)).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(String(process.pid));
  });

  it('runs one piece of work after the other, and is released when the work throws', async () => {
    const path = join(folder, 'c');
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await realTime(50, 'the work takes a while');
      order.push(`${name} ends`);
    };
    await Promise.all([
      withFileLock(path, () => undefined, work('x')),
      withFileLock(path, () => undefined, work('y')),
    ]);
    expect(order).toEqual(['x begins', 'x ends', 'y begins', 'y ends']);
    const failing = withFileLock(
      path,
      () => undefined,
      () => Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
  });
});
