import { createTarGzip } from 'nanotar';

/** A folder that a person dropped or chose: its manifest and its source as a gzipped tar. */
export interface AgentFolder {
  manifest: string | undefined;
  /** Base64; undefined if there is nothing beside the manifest. */
  bundle: string | undefined;
  files: string[];
  leftOut: string[];
}

interface Entry {
  path: string;
  file: File;
}

/** Never part of a bundle: what is installed again, history, and files that hold credentials. */
const LEFT_OUT =
  /(^|\/)(node_modules|\.git|\.venv|__pycache__|dist|\.env(\..+)?|.+\.pem|.+\.key|\.npmrc|id_rsa)(\/|$)/;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_FILES = 2_000;

/** Reads what was chosen in a file dialogue: one file, or a folder with its relative paths. */
export function filesOfInput(list: FileList | File[]): Entry[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Reads a drop, with the files of every folder in it. */
export async function filesOfDrop(transfer: DataTransfer): Promise<Entry[]> {
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesOfEntry))).flat();
}

async function filesOfEntry(entry: FileSystemEntry): Promise<Entry[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (LEFT_OUT.test(path)) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Entry[] = [];
  // A reader returns at most 100 entries at a time.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return found;
    found.push(...(await Promise.all(batch.map(filesOfEntry))).flat());
  }
}

/** Packs the files. Throws an error with a message for the person if they are too many or too large. */
export async function packFolder(entries: readonly Entry[]): Promise<AgentFolder> {
  const manifest =
    entries.find(({ path }) => /^([^/]+\/)?manifest\.json$/.test(path)) ??
    (entries.length === 1 && entries[0]?.path.endsWith('.json') ? entries[0] : undefined);
  const root = manifest?.path.includes('/') ? manifest.path.slice(0, manifest.path.indexOf('/') + 1) : '';
  const inside = entries.map(({ path, file }) => ({
    file,
    path: path.startsWith(root) ? path.slice(root.length) : path,
  }));
  const packed = inside.filter(({ path }) => !LEFT_OUT.test(path));
  const bytes = packed.reduce((sum, { file }) => sum + file.size, 0);
  if (packed.length > MOST_FILES)
    throw new Error(`The folder has ${packed.length} files; a bundle has at most ${MOST_FILES}.`);
  if (bytes > MOST_BYTES)
    throw new Error(`The folder has ${Math.ceil(bytes / 1024 / 1024)} MiB; a bundle has at most 8 MiB.`);
  const source = packed.length > 1 ? await tarOf(packed) : undefined;
  return {
    manifest: await manifest?.file.text(),
    bundle: source && toBase64(source),
    files: packed.map(({ path }) => path).sort(),
    leftOut: inside.filter(({ path }) => LEFT_OUT.test(path)).map(({ path }) => path),
  };
}

async function tarOf(entries: readonly Entry[]): Promise<Uint8Array> {
  const files = entries.map(async ({ path, file }) => ({
    name: path,
    data: new Uint8Array(await file.arrayBuffer()),
  }));
  return createTarGzip(await Promise.all(files));
}

const STEP = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP)
    text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}
