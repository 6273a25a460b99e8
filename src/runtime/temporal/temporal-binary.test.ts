import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedTemporalBinary } from '../base/temporal-places.cjs';
import { findTemporalBinary, isRecent, serverVersion } from './temporal-binary';

describe('the Temporal server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'market-temporal-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function binary(path: string, version: string): string {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho "temporal version 1.8.2 (Server ${version}, UI 2.50.1)"\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const never = () => {
    throw new Error('nothing needs to be said');
  };

  it('is the one that TEMPORAL_CLI_PATH names', async () => {
    const given = binary(join(folder, 'given'), '1.0.0');
    const env = { TEMPORAL_CLI_PATH: given, XDG_CACHE_HOME: folder, PATH: '' };
    expect(await findTemporalBinary(never, env)).toBe(given);
  });

  it('is an error if TEMPORAL_CLI_PATH names no file', async () => {
    await expect(findTemporalBinary(never, { TEMPORAL_CLI_PATH: '/nowhere' })).rejects.toThrow('/nowhere');
  });

  it('is the cached one before the one on PATH', async () => {
    const env = { XDG_CACHE_HOME: join(folder, 'cache'), PATH: join(folder, 'bin') };
    const cached = binary(cachedTemporalBinary(env), '1.32.0');
    binary(join(folder, 'bin/temporal'), '1.33.0');
    expect(await findTemporalBinary(never, env)).toBe(cached);
  });

  it('is the one on PATH when that is new enough', async () => {
    const old = join(folder, 'old');
    const recent = join(folder, 'recent');
    binary(join(old, 'temporal'), '1.31.9');
    const found = binary(join(recent, 'temporal'), '1.32.0');
    const env = { XDG_CACHE_HOME: join(folder, 'empty'), PATH: `${old}:${recent}` };
    expect(await findTemporalBinary(never, env)).toBe(found);
  });

  it('reports its version', () => {
    expect(serverVersion(binary(join(folder, 'v'), '1.32.1'))).toBe('1.32.1');
    expect(serverVersion(join(folder, 'missing'))).toBeUndefined();
    expect(['1.32.0', '1.40.2', '2.0.0'].map(isRecent)).toEqual([true, true, true]);
    expect(['1.31.9', '0.99.0', undefined].map(isRecent)).toEqual([false, false, false]);
  });
});
