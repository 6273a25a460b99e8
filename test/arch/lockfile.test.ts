import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that would call other servers by themselves, past src/egress. */
const REFUSED = ['axios', 'got', 'node-fetch', 'request', 'razorpay'];

it('brings no HTTP client into the service but undici', () => {
  const text = readFileSync(join(__dirname, '../../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as { packages: Record<string, { dev?: boolean }> };
  const installed = Object.entries(packages)
    .filter(([, { dev }]) => !dev)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(installed).toContain('undici');
  expect(installed.filter((name) => REFUSED.includes(name))).toEqual([]);
});
