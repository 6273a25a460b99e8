/** Extracts the text of an answer for the detectors: names, strings and numbers, one per line. */

/** Maximum length that detectors read. */
export const MAX_READ_LENGTH = 262_144;

export interface AnswerText {
  text: string;
  /** True when the answer was longer than the limit. */
  isCut: boolean;
}

/** Reads an answer. Its nesting is bounded, because answers are parsed strictly before. */
export function textOfAnswer(json: Buffer): AnswerText {
  const parts: string[] = [];
  let length = 0;
  const rest: unknown[] = [JSON.parse(json.toString())];
  while (rest.length > 0 && length < MAX_READ_LENGTH) {
    const value = rest.pop();
    if (typeof value === 'string' || typeof value === 'number') {
      const part = String(value).slice(0, MAX_READ_LENGTH - length);
      parts.push(part);
      length += part.length + 1;
    } else if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at -= 1) rest.push(value[at]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) rest.push(inner, name);
    }
  }
  return { text: parts.join('\n'), isCut: rest.length > 0 || length >= MAX_READ_LENGTH };
}

/** The strings and numbers of an answer, without the names of its members. */
export function leavesOfAnswer(json: Buffer): string[] {
  const leaves: string[] = [];
  const rest: unknown[] = [JSON.parse(json.toString())];
  while (rest.length > 0 && leaves.length < MAX_LEAVES) {
    const value = rest.pop();
    if (typeof value === 'string' || typeof value === 'number') leaves.push(String(value).slice(0, MAX_LEAF));
    else if (typeof value === 'object' && value !== null)
      rest.push(...(Object.values(value) as unknown[]).slice(0, MAX_LEAVES));
  }
  return leaves;
}

const MAX_LEAVES = 10_000;
const MAX_LEAF = 65_536;
