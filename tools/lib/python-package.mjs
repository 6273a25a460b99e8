import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeline } from 'node:stream/promises';
import { parse } from 'smol-toml';
import yazl from 'yazl';

/** The Python client as a wheel: pip installs it without building anything, and no Python is needed to make it. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(root, 'packages/python');
const MODULE = 'agent_marketplace';
/** Every build of the same sources gives the same bytes. */
const WRITTEN_AT = new Date('2026-01-01T00:00:00Z');

/** Packs the wheel into `downloads`. Returns its path. */
export async function packPython(downloads = join(root, 'dist/downloads')) {
  const { project } = parse(readFileSync(join(folder, 'pyproject.toml'), 'utf8'));
  const stem = `${project.name.replaceAll('-', '_')}-${project.version}`;
  const files = {
    ...sources(),
    [`${stem}.dist-info/METADATA`]: metadata(project),
    [`${stem}.dist-info/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: agent-marketplace\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  files[`${stem}.dist-info/RECORD`] = record(files, `${stem}.dist-info/RECORD`);
  mkdirSync(downloads, { recursive: true });
  const wheel = join(downloads, `${stem}-py3-none-any.whl`);
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(files))
    zip.addBuffer(Buffer.from(text), name, { mtime: WRITTEN_AT, mode: 0o100644 });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(wheel));
  return wheel;
}

function sources() {
  const names = readdirSync(join(folder, MODULE)).filter((name) => /\.py$|^py\.typed$/.test(name));
  return Object.fromEntries(
    names.sort().map((name) => [`${MODULE}/${name}`, readFileSync(join(folder, MODULE, name), 'utf8')]),
  );
}

function metadata(project) {
  const lines = [
    'Metadata-Version: 2.1',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `Requires-Python: ${project['requires-python']}`,
    ...project.dependencies.map((dependency) => `Requires-Dist: ${dependency}`),
    ...Object.entries(project['optional-dependencies'] ?? {}).flatMap(([extra, dependencies]) => [
      `Provides-Extra: ${extra}`,
      ...dependencies.map((dependency) => `Requires-Dist: ${dependency}; extra == "${extra}"`),
    ]),
    'Description-Content-Type: text/markdown',
  ];
  return `${lines.join('\n')}\n\n${readFileSync(join(folder, project.readme), 'utf8')}`;
}

/** Each file with its hash and size, as pip compares them. */
function record(files, own) {
  const lines = Object.entries(files).map(([name, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url');
    return `${name},sha256=${hash},${Buffer.byteLength(text)}`;
  });
  return `${[...lines, `${own},,`].join('\n')}\n`;
}
