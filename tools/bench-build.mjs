import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build, root } from './lib/prepare.mjs';
import { runLogged } from './lib/run.mjs';
import { COMPILER } from './lib/sources.mjs';

/**
 * Builds the service, and then what the benches start in processes of their own: dist/bench, with the files beside the
 * code that the compiled service reads.
 */
const BESIDE = [
  'package.json',
  ['dist/verification/data', 'src/verification/data'],
  ['dist/kit/crypto/data', 'src/kit/crypto/data'],
];

await build();
await runLogged(process.execPath, [COMPILER, '-p', 'tsconfig.bench.json'], {
  cwd: root,
  logFile: join(root, '.market/logs/bench-build.log'),
});
for (const entry of BESIDE) {
  const [from, to] = Array.isArray(entry) ? entry : [entry, entry];
  cpSync(join(root, from), join(root, 'dist/bench', to), { recursive: true });
}
