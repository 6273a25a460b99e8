/** The texts in an answer, for detectors: names, strings and numbers, one to a line. */

/** More is not read: detectors run beside other work. */
export const MAX_READ_LENGTH = 262_144;

export interface AnswerText {
  text: string;
  /** The answer was longer than what is read. */
  isCut: boolean;
}

/** Of JSON without nesting that could end the process: answers have been read strictly before. */
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
