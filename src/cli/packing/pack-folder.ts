import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MAX_BUNDLE_BYTES, unpackBundle } from '../../kit/archives/bundle';
import { TAR_LIMITS } from '../../kit/archives/tar';
import { CliFailure } from '../failure';
import { defaultRules, holdsSecret, type IgnoreRules, secretRules } from './ignore-rules';
import { type TarSource, writeTar } from './tar-writer';

export interface PackedFolder {
  /** A gzipped tar archive. The same files give the same bytes. */
  bytes: Buffer;
  files: { path: string; bytes: number }[];
  /** Symbolic links and other special files, which a bundle must not contain. */
  skipped: string[];
  /** Files that hold credentials, which were left out: cookie jars, `.netrc`, keys, an `.npmrc` with a token. */
  secrets: string[];
}

const IGNORE_FILES = ['.gitignore', '.marketignore'];
const LARGEST_SHOWN = 5;
const SECRETS = secretRules();

/**
 * Packs an agent's folder, without its ignored files, into a bundle for upload. Throws `CliFailure` when the folder has
 * no files to pack, or when the bundle breaks a limit of the marketplace.
 */
export async function packFolder(folder: string): Promise<PackedFolder> {
  const found = { files: [] as TarSource[], skipped: [] as string[], secrets: [] as string[], size: 0 };
  collect(folder, '', defaultRules(), found);
  if (found.files.length === 0) throw new CliFailure(`${folder} contains no files to pack`);
  const bytes = gzipSync(writeTar(found.files), { level: 9 });
  const verdict = unpackBundle(bytes);
  if (!verdict.ok) throw new CliFailure(`the bundle ${verdict.msg}; exclude files in .marketignore`);
  return {
    bytes,
    files: found.files.map(({ path, bytes: content }) => ({ path, bytes: content.length })),
    skipped: found.skipped,
    secrets: found.secrets,
  };
}

interface Found {
  files: TarSource[];
  skipped: string[];
  secrets: string[];
  size: number;
}

function collect(root: string, folder: string, outer: IgnoreRules, found: Found): void {
  if (folder.split('/').length > TAR_LIMITS.depth)
    throw new CliFailure(`${folder} is deeper than ${TAR_LIMITS.depth} folders; exclude it in .marketignore`);
  const here = join(root, folder);
  const rules = IGNORE_FILES.map((name) => join(here, name))
    .filter((file) => existsSync(file))
    .reduce((known, file) => known.with(folder, readFileSync(file, 'utf8')), outer);
  const entries = readdirSync(here, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (rules.ignores(path, entry.isDirectory())) {
      if (SECRETS.ignores(path, entry.isDirectory())) found.secrets.push(path);
      continue;
    }
    if (entry.isDirectory()) collect(root, path, rules, found);
    else if (entry.isFile()) addFiles(root, path, found);
    else found.skipped.push(path);
  }
}

function addFiles(root: string, path: string, found: Found): void {
  const bytes = readFileSync(join(root, path));
  if (holdsSecret(path, bytes)) {
    found.secrets.push(path);
    return;
  }
  found.files.push({ path, bytes });
  found.size += bytes.length;
  if (found.size > MAX_BUNDLE_BYTES) throw tooLarge(found.files);
}

function tooLarge(files: readonly TarSource[]): CliFailure {
  const largest = [...files].sort((a, b) => b.bytes.length - a.bytes.length).slice(0, LARGEST_SHOWN);
  const list = largest
    .map(({ path, bytes }) => `  ${path} (${Math.ceil(bytes.length / 1024)} KiB)`)
    .join('\n');
  return new CliFailure(
    `the folder holds more than ${MAX_BUNDLE_BYTES / 1024 / 1024} MiB; exclude files in .marketignore. Largest so far:\n${list}`,
  );
}
