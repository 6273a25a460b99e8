/**
 * The URL of a text; undefined if it has none. Not by `URL.canParse`: in Node 20, once it was
 * called often, it refuses every URL with letters such as the `ü` of `bücher.example`.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
