import { writeFileSync } from 'node:fs';
import type { MarketApi } from '../api-client';
import type { VerbResult } from '../command-line';
import { usageFailure } from '../failure';

/** Downloads what an operation gives into a file that only its user reads; an earlier one of the name is replaced. */
export async function saveVerb(api: MarketApi, path: string, file: string): Promise<VerbResult> {
  const bytes = await api.download(path);
  try {
    writeFileSync(file, bytes, { mode: 0o600 });
  } catch (error) {
    throw usageFailure(`${file} cannot be written: ${(error as Error).message}`);
  }
  return { text: `${bytes.length} bytes are in ${file}.`, json: { file, bytes: bytes.length } };
}
