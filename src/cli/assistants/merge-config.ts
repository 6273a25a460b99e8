/** Adds a server to the configuration file of an assistant. Everything else in the file stays. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord } from '../../domain/json-value';
import { CliFailure, usageFailure } from '../failure';
import type { ConfigEntry, Server } from './assistants';

export interface MergedConfig {
  file: string;
  /** The new text of the file. */
  text: string;
  /** `same`: the file has this server already. */
  change: 'created' | 'added' | 'replaced' | 'same';
}

/**
 * The file with the server in it, without writing it. Throws `CliFailure` if the file is not plain JSON, and for
 * another server of the same name unless `replaces`.
 */
export function mergedConfig(
  { file, member, entry }: ConfigEntry,
  { name }: Server,
  replaces: boolean,
): MergedConfig {
  const text = existsSync(file) ? readFileSync(file, 'utf8').replace(/^\ufeff/, '') : undefined;
  const document = text === undefined || text.trim() === '' ? {} : parsed(file, text, { [name]: entry });
  const servers = document[member] ?? {};
  if (!isRecord(servers)) throw usageFailure(`${file}: ${member} is not an object`);
  const known = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const isSame = isRecord(known) && known['url'] === entry['url'];
  if (known !== undefined && !isSame && !replaces)
    throw usageFailure(
      `${file} has another server named ${name}: pass --name for another name, or --replace`,
    );
  const next = { ...document, [member]: { ...servers, [name]: entry } };
  const added = known === undefined ? 'added' : 'replaced';
  const change = isSame ? 'same' : text === undefined ? 'created' : added;
  return { file, text: isSame ? (text ?? '') : `${JSON.stringify(next, null, 2)}\n`, change };
}

/** Writes a merged file. Keeps a copy of an earlier one, whose path it returns. */
export function writeConfig({ file, text, change }: MergedConfig): string | undefined {
  if (change === 'same') return undefined;
  const backup = change === 'created' ? undefined : `${file}.bak`;
  if (backup) copyFileSync(file, backup);
  else mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return backup;
}

/** Editors allow comments in these files, which would be lost. */
function parsed(file: string, text: string, addition: Record<string, unknown>): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    document = undefined;
  }
  if (isRecord(document)) return document;
  throw new CliFailure(
    `${file} is not plain JSON, so it is left as it is. Add this server yourself: ${JSON.stringify(addition)}`,
  );
}
