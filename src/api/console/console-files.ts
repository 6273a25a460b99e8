import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { REGISTRATION_FEE_UNITS, unitsToCredits } from '../../domain/ledger/money';

/** A file of the console, as `npm run build` wrote it, with its compressed forms. */
export interface ConsoleFile {
  type: string;
  /** True if the name contains a hash of the content, so that the content of a name never changes. */
  isHashed: boolean;
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

export interface ConsoleFiles {
  /** The page, with `NONCE` where each answer has its own nonce. */
  page: string;
  /** Files by their path below `/console/`. Only these paths are served; no path of a request reaches the disk. */
  files: ReadonlyMap<string, ConsoleFile>;
}

/** The text in the page that stands for the nonce of an answer. `console/vite.config.ts` writes it. */
export const NONCE = '__CSP_NONCE__';

/** The text in `console/index.html` that stands for whether the request had the cookie of a session. */
export const SESSION = '__SESSION__';

/** The text in `console/index.html` that stands for the registration fee. */
const REGISTRATION_FEE = '__REGISTRATION_FEE__';
const FEE = unitsToCredits(REGISTRATION_FEE_UNITS).toLocaleString('en-US');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Reads the built console into memory. Returns undefined if it is not built. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) return undefined;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) continue;
    files.set(name.split(path.sep).join('/'), {
      type,
      isHashed: name.startsWith(`assets${path.sep}`),
      plain: readFileSync(path.join(folder, name)),
      br: readIfThere(path.join(folder, `${name}.br`)),
      gzip: readIfThere(path.join(folder, `${name}.gz`)),
    });
  }
  const page = readFileSync(index, 'utf8').replace(REGISTRATION_FEE, FEE);
  return { page, files };
}

/** When the console was built, in ms since the epoch; undefined if it is not built. */
export function builtAt(folder: string): number | undefined {
  return statSync(path.join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs;
}

function readIfThere(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined;
}
