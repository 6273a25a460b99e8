import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const ASSETS = fileURLToPath(new URL('../dist/console/assets', import.meta.url));
const BEST = 11;
const GOOD = 9;

/**
 * Writes the compressed forms of the assets beside them, so that the API compresses nothing. Files that the page itself
 * names are the first load, so they get the slowest compression.
 */
function compress(): void {
  const page = readFileSync(`${ASSETS}/../index.html`, 'utf8');
  for (const name of readdirSync(ASSETS)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const bytes = readFileSync(`${ASSETS}/${name}`);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: page.includes(name) ? BEST : GOOD } };
    writeFileSync(`${ASSETS}/${name}.br`, brotliCompressSync(bytes, quality));
    writeFileSync(`${ASSETS}/${name}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** The modules that ask for a page's code and data while the console's own code is being loaded. */
const EARLY =
  /console\/src\/(early|page-table|reads|client\/(address|early-reads|visitor)|features\/operator\/decision-lists)\.ts$|vite\/preload-helper/;

const ROOT = '    <div id="root">';

/**
 * Puts the styles behind the frame that the page itself draws, so that it is shown before they are here, and before
 * the root, whose own styles come after them. Scripts of the page wait for them.
 */
const lateStyles: Plugin = {
  name: 'late-styles',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const links = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? [];
      if (links.length === 0) throw new Error('there are no styles');
      const page = links.reduce((rest, link) => rest.replace(link, ''), html);
      return page.replace(ROOT, `${links.join('')}${ROOT}`);
    },
  },
};

/** Puts the script of `src/early.ts` before all others. It waits for nothing, not even for the styles. */
const earlyScript: Plugin = {
  name: 'early-script',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const early = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early');
      if (!early) throw new Error('there is no early script');
      const attrs = { type: 'module', async: true, crossorigin: true, src: `/console/${early.fileName}` };
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }];
    },
  },
};

/** The API serves the result at /console and replaces the nonce in each answer (src/api/console). */
export default defineConfig({
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [lateStyles, earlyScript, { name: 'compress', closeBundle: compress }],
  html: { cspNonce: '__CSP_NONCE__' },
  // The form library's index names a validator that generates code, which the policy forbids and which is not
  // installed.
  resolve: {
    alias: {
      '@rjsf/validator-ajv8': fileURLToPath(
        new URL('src/features/playground/no-validator.ts', import.meta.url),
      ),
    },
  },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // A data: URL of a script or a style is against the policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      input: { index: 'index.html', early: 'src/early.ts' },
      // The component library marks its files for servers that render; here they mean nothing.
      onLog: (level, log, handle) => void (log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log)),
      output: {
        // Each file costs a request. Without groups there were 20 for the first page, and 20 more for each other one.
        codeSplitting: {
          groups: [
            { name: 'early', test: EARLY, priority: 2 },
            { name: 'first', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 3, test: (id) => !/uplot|charts/.test(id) },
          ],
        },
      },
    },
  },
  // `npm run dev --workspace console` beside `npm start`.
  server: { proxy: { '^/(v1|health|readiness|openapi.json)': 'http://127.0.0.1:4000' } },
});
