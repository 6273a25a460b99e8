/** The stack that `npm start` runs on this machine, as a file of the current folder describes it. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { RuntimeFile } from '../runtime/runtime-file';
import { usageFailure } from './failure';
import { parsedUrl } from '../kit/parsed-url';

/**
 * Reads `.market/runtime.json` (folder: MARKET_HOME) of the local stack. Returns `undefined` if no stack is running.
 * Throws `CliFailure` (exit 2) when an address in the file is not on this machine: the folder may be another person's,
 * and passwords, keys and commands of operators must not follow it elsewhere.
 */
export function localStack(env: NodeJS.ProcessEnv = process.env): RuntimeFile | undefined {
  const file = join(env['MARKET_HOME'] ?? '.market', 'runtime.json');
  let stack: Partial<RuntimeFile> | null;
  try {
    stack = JSON.parse(readFileSync(file, 'utf8')) as Partial<RuntimeFile> | null;
  } catch {
    return undefined;
  }
  const addresses = [stack?.api_url, `tcp://${stack?.temporal_address}`, stack?.postgres_url];
  for (const address of addresses) {
    if (typeof address !== 'string' || !isLocal(address))
      throw usageFailure(
        `${file} names an address that is not on this machine: use a folder of npm start, or --api, MARKET_API_URL, DATABASE_URL or TEMPORAL_ADDRESS`,
      );
  }
  return stack as RuntimeFile;
}

function isLocal(address: string): boolean {
  const url = parsedUrl(address);
  // `?host=` of a database's URL takes precedence over its host.
  return url !== undefined && isLoopback(url.hostname) && url.search === '';
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}
