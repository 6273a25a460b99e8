import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');
const SETTINGS = [
  'package.json',
  'tsconfig.json',
  '.dependency-cruiser.cjs',
  'tools/import-table.cjs',
  'eslint.config.mjs',
  'tools/lib/house-rules.mjs',
  'tools/lib/test-selectors.mjs',
  'tools/lib/written-text.mjs',
  'console/tsconfig.json',
];

/** A tiny project with the real rules of this one, in which rules can be broken. */
export interface Fixture {
  folder: string;
  /** Runs a tool of this project in the fixture; returns its standard output for any exit code. */
  run(tool: string, args: string[]): Promise<string>;
  remove(): void;
}

/** Makes a project of the given files (path → text), with our settings and packages. */
export function createFixture(files: Record<string, string>): Fixture {
  const folder = mkdtempSync(join(tmpdir(), 'house-rules-'));
  for (const name of SETTINGS) cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    folder,
    run: async (tool, args) =>
      new Promise((resolve) => {
        const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
        execFile(process.execPath, [join(ROOT, 'node_modules', tool), ...args], options, (_error, stdout) =>
          resolve(stdout),
        );
      }),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
