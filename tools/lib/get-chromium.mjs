import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium, HINT } from './chromium.cjs';
import { ended } from './run.mjs';

const APT = '/usr/bin/apt-get';
const MOST_MS = 180_000;

/**
 * Looks for a Chromium, and installs Debian's when there is none, apt is there and this is root. Returns what the
 * person should know: undefined when one is there, else that the tests in a browser are left out.
 */
export async function getChromium() {
  if (findChromium()) return undefined;
  if (!process.env.CHROMIUM && process.getuid?.() === 0 && existsSync(APT)) {
    const packages = ['--no-install-recommends', '-y', 'chromium'];
    if (!(await apt('install', ...packages)) && (await apt('update'))) await apt('install', ...packages);
    if (findChromium()) return undefined;
  }
  return `No Chromium was found: the tests of the console in a browser are LEFT OUT. ${HINT}`;
}

async function apt(...args) {
  const child = spawn(APT, args, {
    stdio: 'ignore',
    timeout: MOST_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return (await ended(child)) === 0;
}
