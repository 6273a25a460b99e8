/**
 * Lets a document contain large JSON text without parsing it or serializing it again. Code that builds the document
 * uses a random token in place of the text; the token is replaced in what is written.
 */
import { randomBytes } from 'node:crypto';

export interface HeldJson {
  /** Stores JSON text. Returns a string that stands for it as a JSON value, and as base64 of bytes. */
  hold(json: Buffer): string;
  /** The pieces of serialized JSON, with the stored text in place of its tokens. */
  pieces(text: string): Buffer[];
  /** Whether nothing is stored. */
  readonly isEmpty: boolean;
}

/**
 * The same, but what stands for an object is an object, for code that looks at the kind of a value and not into it.
 */
export function holdAsItsKind(hold: HeldJson['hold']): (json: Buffer) => unknown {
  return (json) => {
    const token = hold(json);
    return /^\s*\{/.test(json.subarray(0, 64).toString('latin1')) ? { toJSON: () => token } : token;
  };
}

/** 24 bytes have a base64 form without padding, which stays the same when it is decoded and encoded. */
const TOKEN_BYTES = 24;
const QUOTED_TOKEN = /"([A-Za-z0-9+/]{32})"/;

export function createHeldJson(): HeldJson {
  const held = new Map<string, Buffer>();
  return {
    hold(json) {
      const token = randomBytes(TOKEN_BYTES).toString('base64');
      held.set(token, json);
      return token;
    },
    // Other strings of a token's form stay as they are.
    pieces: (text) =>
      text
        .split(QUOTED_TOKEN)
        .map((part, at) => (at % 2 === 0 ? Buffer.from(part) : (held.get(part) ?? Buffer.from(`"${part}"`)))),
    get isEmpty() {
      return held.size === 0;
    },
  };
}
