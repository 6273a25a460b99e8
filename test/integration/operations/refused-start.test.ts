import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const DIST = join(__dirname, '../../../dist');

describe('a process that refuses to start', () => {
  it.each(['api/main.js', 'workers/main.js'])('prints its reasons without a stack: %s', (entry) => {
    const { PATH = '' } = process.env;
    const settings = {
      NODE_ENV: 'production',
      MASTER_KEYS: 'kept:1=c2hvcnQ=',
      SESSION_SECRET: 'password',
    };
    const { status, stderr } = spawnSync(process.execPath, [join(DIST, entry)], {
      env: { PATH, DATABASE_URL: 'postgres://127.0.0.1:1/none', ...settings },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr.trim()).not.toBe('');
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
