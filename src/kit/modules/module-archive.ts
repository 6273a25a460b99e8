/**
 * Loading the 2,500 modules of a process takes 1.5 s of CPU, most of it for finding their files and compiling them. The
 * build records both in an archive: where each `require` leads, and each module with V8's code cache. A process that uses
 * the archive loads in half the time. Modules are the same objects under the same file names.
 *
 * A module whose file has another size or time than at the build, or that the archive does not contain, is loaded by Node.
 * So is everything when Node has another version.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import Module from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { Script } from 'node:vm';

interface Loaded extends NodeJS.Module {
  filename: string;
}
type Resolve = (request: string, parent?: Loaded, isMain?: boolean, options?: object) => string;
type Load = (module: Loaded, filename: string) => void;
/** The functions of Node's loader that every `require` uses. */
const loader = Module as unknown as {
  _resolveFilename: Resolve;
  _extensions: Record<'.js', Load>;
  _cache: object;
};

/** Position and length in the archive's content. */
type Place = [at: number, length: number];

interface ArchivedModule {
  /** In whole seconds: images of containers keep no more. */
  changedAtS: number;
  size: number;
  source: Place;
  code: Place;
}

/** All paths are relative to the root. */
interface Index {
  runtime: string;
  /** The name of the file with sources and code caches. */
  content: string;
  /** The file of a request, by folder and request. */
  resolved: Record<string, string>;
  modules: Record<string, ArchivedModule>;
}

const RUNTIME = `${process.version} ${process.arch}`;
/** A script with a code cache cannot import ES modules. */
const DYNAMIC_IMPORT = /\bimport\s*\(/;
const HEAD = '(function (exports, require, module, __filename, __dirname) { ';

/** The folder of an archive, and the root of the paths in it. */
export interface ArchivePlace {
  root: string;
  folder: string;
}

const ROOT = resolve(__dirname, '../../..');
/** The archive of the build. */
export const MODULE_ARCHIVE: ArchivePlace = { root: ROOT, folder: join(ROOT, 'dist') };

const INDEX = 'modules.json';

/**
 * Serves modules from the archive until the entry point has loaded: in the next turn of the event loop, Node's own loader is
 * back. Does nothing without an archive of this version of Node.
 */
export function useArchive(place: ArchivePlace): void {
  const opened = openArchive(place);
  if (!opened) return;
  const { index, content } = opened;
  const pathOf = (file: string) => relative(place.root, file);
  const find = createFinder(place.root, index);
  const resolveByNode = loader._resolveFilename;
  loader._resolveFilename = (request, parent, isMain, options) => {
    const known = parent?.filename && !options ? find(pathOf(dirname(parent.filename)), request) : undefined;
    return known ?? resolveByNode(request, parent, isMain, options);
  };
  const loadByNode = loader._extensions['.js'];
  loader._extensions['.js'] = (module, filename) => {
    const archived = index.modules[pathOf(filename)];
    // Node maps stack traces to sources for the files that it loads itself.
    const isMapped = process.sourceMapsEnabled && !filename.includes('node_modules');
    if (!archived || isMapped || !isUnchanged(filename, archived)) return loadByNode(module, filename);
    const source = read(content, archived.source).toString();
    run(module, compile(filename, source, read(content, archived.code)));
  };
  setImmediate(() => {
    loader._resolveFilename = resolveByNode;
    loader._extensions['.js'] = loadByNode;
    closeSync(content);
  });
}

/** Records the modules that are loaded from now on, until the returned function writes the archive. */
export function recordArchive(place: ArchivePlace): () => void {
  const index: Index = { runtime: RUNTIME, content: '', resolved: {}, modules: {} };
  const scripts = new Map<string, { source: string; script: Script }>();
  const pathOf = (file: string) => relative(place.root, file);
  const resolveByNode = loader._resolveFilename;
  loader._resolveFilename = (request, parent, isMain, options) => {
    const file = resolveByNode(request, parent, isMain, options);
    if (parent?.filename && !options && file.startsWith('/'))
      index.resolved[keyOf(pathOf(dirname(parent.filename)), request)] = pathOf(file);
    return file;
  };
  const loadByNode = loader._extensions['.js'];
  loader._extensions['.js'] = (module, filename) => {
    const source = readFileSync(filename, 'utf8');
    if (!isCommonJs(filename) || DYNAMIC_IMPORT.test(source)) return loadByNode(module, filename);
    const script = compile(filename, source);
    scripts.set(filename, { source, script });
    run(module, script);
  };
  return () => {
    loader._resolveFilename = resolveByNode;
    loader._extensions['.js'] = loadByNode;
    const parts: Buffer[] = [];
    let end = 0;
    const add = (part: Buffer): Place => {
      parts.push(part);
      end += part.length;
      return [end - part.length, part.length];
    };
    for (const [filename, { source, script }] of scripts) {
      // By now the code cache contains the functions that ran while the modules were loaded.
      const code = add(script.createCachedData());
      index.modules[pathOf(filename)] = {
        ...stateOf(statSync(filename)),
        source: add(Buffer.from(source)),
        code,
      };
    }
    writeArchive(place, index, Buffer.concat(parts));
  };
}

/** A process that starts meanwhile finds the archive of before, the new one, or none. */
function writeArchive({ folder }: ArchivePlace, index: Index, content: Buffer): void {
  const name = `modules-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.bin`;
  writeFileSync(join(folder, name), content);
  const draft = join(folder, `${INDEX}.new`);
  writeFileSync(draft, JSON.stringify({ ...index, content: name }));
  renameSync(draft, join(folder, INDEX));
  for (const file of readdirSync(folder))
    if (/^modules-\w+\.bin$/.test(file) && file !== name) rmSync(join(folder, file), { force: true });
}

function openArchive({ folder }: ArchivePlace): { index: Index; content: number } | undefined {
  try {
    const index = JSON.parse(readFileSync(join(folder, INDEX), 'utf8')) as Index;
    if (index.runtime !== RUNTIME) return undefined;
    return { index, content: openSync(join(folder, index.content), 'r') };
  } catch {
    return undefined;
  }
}

const keyOf = (folder: string, request: string) => `${folder}\0${request}`;

/** Returns the file of a request if the archive knows it and the file still exists. */
function createFinder(root: string, { resolved }: Index) {
  const existing = new Map<string, string | undefined>();
  return (folder: string, request: string): string | undefined => {
    const path = resolved[keyOf(folder, request)];
    if (path === undefined) return undefined;
    if (!existing.has(path)) {
      const file = resolve(root, path);
      existing.set(path, statSync(file, { throwIfNoEntry: false }) && file);
    }
    return existing.get(path);
  };
}

const stateOf = ({ mtimeMs, size }: Stats) => ({ changedAtS: Math.floor(mtimeMs / 1_000), size });

function isUnchanged(filename: string, archived: ArchivedModule): boolean {
  const stats = statSync(filename, { throwIfNoEntry: false });
  if (!stats) return false;
  const { changedAtS, size } = stateOf(stats);
  return changedAtS === archived.changedAtS && size === archived.size;
}

function read(file: number, [at, length]: Place): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  readSync(file, bytes, 0, length, at);
  return bytes;
}

function compile(filename: string, source: string, cachedData?: Buffer): Script {
  const text = source.startsWith('#!') ? `//${source}` : source;
  return new Script(`${HEAD}${text}\n});`, {
    filename,
    columnOffset: -HEAD.length,
    ...(cachedData && { cachedData }),
  });
}

function run(module: Loaded, script: Script): void {
  const { filename } = module;
  const byModule = Object.assign((id: string) => module.require(id) as unknown, {
    resolve: (request: string, options?: object) => loader._resolveFilename(request, module, false, options),
    main: process.mainModule,
    extensions: loader._extensions,
    cache: loader._cache,
  });
  const body = script.runInThisContext() as (...values: unknown[]) => void;
  body.call(module.exports, module.exports, byModule, module, filename, dirname(filename));
}

const types = new Map<string, boolean>();

/** False for ES modules: Node itself handles a `require` of one. */
function isCommonJs(filename: string): boolean {
  return filename.endsWith('.cjs') || (filename.endsWith('.js') && !isEsModule(dirname(filename)));
}

/** True for the folders of packages with `"type": "module"`. */
function isEsModule(folder: string): boolean {
  const known = types.get(folder);
  if (known !== undefined) return known;
  const manifest = join(folder, 'package.json');
  const isModule = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string }).type === 'module'
    : dirname(folder) !== folder && isEsModule(dirname(folder));
  types.set(folder, isModule);
  return isModule;
}
