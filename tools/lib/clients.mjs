import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFileLock } from '../../src/runtime/base/file-lock.cjs';
import { runLogged } from './run.mjs';
import { hashSources, root } from './sources.mjs';

/**
 * The generated files of both clients. They are not tracked: every command that reads them makes them first if they are
 * missing, changed by hand, or older than the contract.
 */
const GENERATED = [
  'packages/client/src/api-types.d.ts',
  'packages/python/agent_marketplace/types.py',
  'packages/python/agent_marketplace/operations.py',
  'packages/python/agent_marketplace/async_operations.py',
];
/** What they are made from. */
const FOLDERS = ['src/contract', 'src/domain', 'tools/clients'];
const FILES = ['src/api/answers/http-status.ts', 'package-lock.json'];
const stamp = join(root, 'dist/.clients');

/** Makes the generated files if they are not current. `onWork` is called before that. Returns whether it made them. */
export async function buildClients(onWork = () => {}) {
  if (areCurrent()) return false;
  return withFileLock(
    join(root, '.market/clients.lock'),
    () => {},
    async () => {
      // Another process may have made them while this one waited.
      if (areCurrent()) return false;
      onWork();
      rmSync(stamp, { force: true });
      const sources = hashSources(FOLDERS, FILES);
      await runLogged(process.execPath, ['--import', 'tsx', 'tools/clients/write.ts'], {
        cwd: root,
        logFile: join(root, '.market/logs/clients.log'),
      });
      mkdirSync(dirname(stamp), { recursive: true });
      writeFileSync(stamp, `${sources} ${hashSources([], GENERATED)}`);
      return true;
    },
  );
}

function areCurrent() {
  if (![stamp, ...GENERATED.map((file) => join(root, file))].every((path) => existsSync(path))) return false;
  return readFileSync(stamp, 'utf8') === `${hashSources(FOLDERS, FILES)} ${hashSources([], GENERATED)}`;
}
