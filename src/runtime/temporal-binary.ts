import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const TEMPORAL_SERVER_VERSION = '1.32.0';

/** Where a server that was built or downloaded once is kept for every clone of this user. */
export function cachedTemporalBinary(env: NodeJS.ProcessEnv = process.env): string {
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'agent-marketplace', `temporal-${TEMPORAL_SERVER_VERSION}`);
}

/** The path of a Temporal server, found or made. */
export async function findTemporalBinary(say: (line: string) => void): Promise<string> {
  const given = process.env['TEMPORAL_CLI_PATH'];
  if (given) return given;
  const cached = cachedTemporalBinary();
  if (existsSync(cached)) return cached;
  say('no Temporal server found');
  throw new Error('no Temporal server found');
}
