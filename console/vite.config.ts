import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const ASSETS = fileURLToPath(new URL('../dist/console/assets', import.meta.url));
const BEST = 11;
const GOOD = 9;

/**
 * Writes the compressed forms of the assets beside them, so that the API compresses nothing. What the page itself names is
 * the first load, and is worth the slowest compression.
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

/** The API serves the result at /console and replaces the nonce in each answer (src/api/console). */
export default defineConfig({
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [{ name: 'compress', closeBundle: compress }],
  html: { cspNonce: '__CSP_NONCE__' },
  // The form library's index names a validator that generates code, which the policy forbids and which is not installed.
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
      // The component library marks its files for servers that render; here they mean nothing.
      onLog: (level, log, handle) => void (log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log)),
      output: {
        // Each file costs a request. Without groups there were 20 for the first page, and 20 more for each other one.
        codeSplitting: {
          groups: [
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
