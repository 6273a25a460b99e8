import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hashFolders, recordCompiled, requireCompiled } from './compiled.cjs';

const root = mkdtempSync(join(tmpdir(), 'market-compiled-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('refuses compiled code of other sources, in the folders that matter', () => {
  write('src/kit/a.ts', '1');
  write('src/kit/json/b.ts', '2');
  write('src/stores/c.ts', '3');
  expect(() => requireCompiled(root)).toThrow('src/kit, src/kit/json, src/stores. Run: npm run build');
  mkdirSync(join(root, 'dist'));
  recordCompiled(root, hashFolders(root));
  expect(() => requireCompiled(root)).not.toThrow();

  write('src/kit/json/b.ts', '22');
  expect(() => requireCompiled(root)).toThrow(/: src\/kit\/json\. Run/);
  expect(() => requireCompiled(root, ['src/kit'])).toThrow(/: src\/kit\/json\. Run/);
  expect(() => requireCompiled(root, ['src/stores', 'src/ki'])).not.toThrow();

  write('src/kit/json/b.ts', '2');
  write('src/kit/a.test.ts', 'tests are not compiled');
  expect(() => requireCompiled(root)).not.toThrow();
  rmSync(join(root, 'src/stores/c.ts'));
  expect(() => requireCompiled(root)).toThrow(/: src\/stores\. Run/);
});
