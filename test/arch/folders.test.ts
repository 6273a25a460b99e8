/** The limit of CONTRIBUTING.md: a folder of a business domain has at most 18 source files without tests. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SRC = join(__dirname, '../../src');
const MOST = 18;
/** One folder for each domain of the business, or for each theme. The other layers are flat: a file for each resource. */
const LAYERS = ['domain', 'stores', 'services', 'kit'];

it('has at most 18 files in each domain folder', () => {
  const counts = new Map<string, number>();
  for (const layer of LAYERS) {
    for (const entry of readdirSync(join(SRC, layer), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.test.ts')) continue;
      const folder = entry.parentPath.slice(SRC.length + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  expect(counts.size).toBeGreaterThan(40);
  expect([...counts].filter(([, files]) => files > MOST)).toEqual([]);
});
