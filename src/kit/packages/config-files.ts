/** Parses untrusted TOML, YAML and JSON into plain data. Returns undefined when the text is invalid or too large. */
import { parse as parseTomlText } from 'smol-toml';
import { parse as parseYamlText } from 'yaml';

const MAX_LENGTH = 4 * 1024 * 1024;

export function parseToml(text: string): unknown {
  return attempt(text, (given) => parseTomlText(given, { maxDepth: 100 }));
}

/** Parses YAML. The library limits aliases, so an alias bomb is refused as invalid. */
export function parseYaml(text: string): unknown {
  return attempt(
    text,
    (given) => parseYamlText(given, { logLevel: 'silent', maxAliasCount: 100 }) as unknown,
  );
}

export function parseJson(text: string): unknown {
  return attempt(text, (given) => JSON.parse(given) as unknown);
}

function attempt(text: string, parse: (text: string) => unknown): unknown {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
