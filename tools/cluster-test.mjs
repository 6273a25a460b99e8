import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './lib/prepare.mjs';
import { ended } from './lib/run.mjs';

/** `npm run test:cluster [-- jest's arguments]`: the production topology under load, some minutes. */
await prepare();
const jest = join(root, 'node_modules/jest/bin/jest.js');
const config = ['--config', join(root, 'jest.cluster.config.js')];
const child = spawn(process.execPath, [jest, ...config, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
const code = await ended(child);
process.exit(typeof code === 'number' ? code : 1);
