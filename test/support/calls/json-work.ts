/** Watches what the event loop of this process parses and serializes. */
import { join } from 'node:path';

const SOURCE = join(__dirname, '../../../src/');
const LARGE_LENGTH = 256 * 1024;

/** Records the callers in `src` that parse or serialize JSON above 256 KiB in this thread, until `stop`. */
export function watchLargeJson(): { callers: string[]; stop(): void } {
  const { parse, stringify } = JSON;
  const callers: string[] = [];
  const note = (text: unknown) => {
    if (typeof text !== 'string' || text.length <= LARGE_LENGTH) return;
    const caller = new Error().stack?.split('\n')[3] ?? '';
    if (caller.includes(SOURCE)) callers.push(caller.trim());
  };
  JSON.parse = (...args: Parameters<typeof parse>) => {
    note(args[0]);
    return parse(...args) as unknown;
  };
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    note(text);
    return text;
  }) as typeof stringify;
  return { callers, stop: () => void Object.assign(JSON, { parse, stringify }) };
}
