import { writeFileSync } from 'node:fs';
import type { MarketApi } from '../api-client';
import type { VerbResult } from '../command-line';
import { usageFailure } from '../failure';

/**
 * Downloads a file of the API and saves it with permissions for its owner only, replacing an existing file. Throws
 * `CliFailure` (exit 2) when the file cannot be written.
 */
export async function saveVerb(api: MarketApi, path: string, file: string): Promise<VerbResult> {
  const bytes = await api.download(path);
  try {
    writeFileSync(file, bytes, { mode: 0o600 });
  } catch (error) {
    throw usageFailure(`${file} cannot be written: ${(error as Error).message}`);
  }
  return { text: `Saved ${bytes.length} bytes to ${file}.`, json: { file, bytes: bytes.length } };
}
