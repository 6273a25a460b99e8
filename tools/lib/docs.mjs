import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../../src/runtime/base/file-lock.cjs';
import { runLogged } from './run.mjs';

/** Builds the documentation site when one of its sources is not what the last build saw. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const site = join(root, 'dist/docs');
const stamp = join(root, 'dist/.docs-sources');
const REMOTE_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const EMPTY_PICTURE = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** Returns what it did, in a word. `lock`: another build of this clone is waited for. */
export async function buildDocs() {
  mkdirSync(join(root, '.market'), { recursive: true });
  let done = 'unchanged';
  await withFileLock(
    join(root, '.market/docs.lock'),
    () => {},
    async () => {
      const sources = describeSources();
      if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
      rmSync(stamp, { force: true });
      await runLogged(
        process.execPath,
        [join(root, 'node_modules/vitepress/bin/vitepress.js'), 'build', 'docs'],
        {
          cwd: root,
          logFile: join(root, '.market/logs/docs.log'),
        },
      );
      copyLibraries();
      writeFileSync(join(site, 'inline-scripts.json'), JSON.stringify(inlineScriptHashes()));
      writeFileSync(stamp, sources);
      done = 'built';
    },
  );
  return done;
}

/**
 * Copies what the pages load when a reader needs it: the library that draws diagrams, and the one of the API reference.
 */
function copyLibraries() {
  const mermaid = join(root, 'node_modules/mermaid/dist');
  mkdirSync(join(site, 'mermaid/chunks'), { recursive: true });
  copyFileSync(join(mermaid, 'mermaid.esm.min.mjs'), join(site, 'mermaid/mermaid.esm.min.mjs'));
  cpSync(join(mermaid, 'chunks/mermaid.esm.min'), join(site, 'mermaid/chunks/mermaid.esm.min'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  });
  cpSync(join(root, 'docs/.vitepress/api'), join(site, 'api'), { recursive: true });
  const redoc = readFileSync(join(root, 'node_modules/redoc/bundles/redoc.standalone.js'), 'utf8');
  writeFileSync(join(site, 'api/redoc.standalone.js'), withoutRemoteLogo(redoc));
  copyFileSync(join(root, 'console/public/icon.svg'), join(site, 'icon.svg'));
}

/**
 * The library of the API reference with an empty picture in place of the logo that it loads from its maker's server.
 * Throws if it still names a picture, script or font of that server.
 */
export function withoutRemoteLogo(library) {
  const local = library.replaceAll(REMOTE_LOGO, EMPTY_PICTURE);
  const [remote] = /https?:\/\/cdn\.[^"'`]+/.exec(local) ?? [];
  if (remote !== undefined) throw new Error(`The API reference would load ${remote} from another server.`);
  return local;
}

/** The sources of all scripts that stand in the pages, for the content security policy: `sha256-…`, sorted. */
function inlineScriptHashes() {
  const hashes = new Set();
  for (const name of readdirSync(site, { recursive: true })) {
    if (!name.endsWith('.html')) continue;
    const page = readFileSync(join(site, name), 'utf8');
    for (const [, attributes, text] of page.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/g)) {
      if (/\bsrc=/.test(attributes)) continue;
      hashes.add(`sha256-${createHash('sha256').update(text).digest('base64')}`);
    }
  }
  return [...hashes].sort();
}

function describeSources() {
  const hash = createHash('sha256');
  const folder = join(root, 'docs');
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (!/\.(md|mts|vue|css|html|js|svg|png)$/.test(name)) continue;
    hash.update(`${relative(root, join(folder, name))} `).update(readFileSync(join(folder, name)));
  }
  hash.update(readFileSync(join(root, 'console/public/icon.svg')));
  hash.update(readFileSync(join(root, 'package-lock.json')));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  return hash.digest('hex');
}
