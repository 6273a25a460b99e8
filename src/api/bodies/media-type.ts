/** A media type as RFC 9110 §8.3 writes it, in lower case, with the values of its parameter `charset`. */
export interface MediaType {
  type: string;
  charsets: readonly string[];
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const TYPE = new RegExp(`[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*`, 'y');
/** Clients also write white space around `=`, and a `;` without a parameter behind it. */
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})[ \\t]*=[ \\t]*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?`,
  'y',
);

/** Reads a `Content-Type`. Returns undefined if there is none, or if it is malformed. */
export function readMediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined) return undefined;
  TYPE.lastIndex = 0;
  const type = TYPE.exec(header)?.[1]?.toLowerCase();
  if (type === undefined) return undefined;
  const charsets: string[] = [];
  let at = TYPE.lastIndex;
  while (at < header.length) {
    PARAMETER.lastIndex = at;
    const parameter = PARAMETER.exec(header);
    if (!parameter) return undefined;
    at = PARAMETER.lastIndex;
    const [, name, plain, quoted] = parameter;
    if (name?.toLowerCase() === 'charset')
      charsets.push((plain ?? quoted?.replace(/\\(.)/g, '$1') ?? '').toLowerCase());
  }
  return { type, charsets };
}

/** Charsets whose bytes are UTF-8. Every US-ASCII text is one. */
const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);
/** They are JSON, and no body of an operation: they say how to change something else. */
const PATCH = /[-/]patch\+json$/;

/**
 * Whether a body is declared as JSON in UTF-8: `application/json`, or a type of its own that is JSON (RFC 6839,
 * `application/vnd.example+json`). Its other parameters have no meaning (RFC 8259 §11).
 */
export function isJsonUtf8(contentType: string | undefined): boolean {
  const media = readMediaType(contentType);
  if (!media?.charsets.every((charset) => UTF8.has(charset))) return false;
  return (
    media.type === 'application/json' ||
    (/^application\/.+\+json$/.test(media.type) && !PATCH.test(media.type))
  );
}

/** Whether a body is declared as JSON of the A2A protocol: `application/json` or `application/a2a+json`, in UTF-8. */
export function isA2aJson(contentType: string | undefined): boolean {
  const media = readMediaType(contentType);
  return (
    isJsonUtf8(contentType) && (media?.type === 'application/json' || media?.type === 'application/a2a+json')
  );
}
