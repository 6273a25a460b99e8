/** Positions of the values of a JSON text, so that a problem can be reported with its line. */
export interface Place {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

type Location = readonly (string | number)[];

/**
 * Returns the position of a location: of the member's name for an object member, of the value for an array item. For a
 * location that is not in the text, returns the position of its nearest ancestor.
 */
export type FindPlace = (loc: Location) => Place;

const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/y;

/** Indexes the positions of a JSON text. The text must be valid JSON; throws `Error` otherwise. */
export function placesOf(text: string): FindPlace {
  const offsets = new Map<string, number>();
  const token = new RegExp(TOKEN);
  const next = (): { text: string; at: number } => {
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new Error('the text is not JSON');
    return { text: found, at: token.lastIndex - found.length };
  };

  function visit(loc: Location, first: { text: string; at: number }): void {
    if (first.text === '{') {
      for (let key = next(); key.text !== '}'; key = next()) {
        if (key.text === ',') continue;
        const member = [...loc, JSON.parse(key.text) as string];
        offsets.set(JSON.stringify(member), key.at);
        next();
        visit(member, next());
      }
    } else if (first.text === '[') {
      let index = 0;
      for (let item = next(); item.text !== ']'; item = next()) {
        if (item.text === ',') continue;
        const place = [...loc, index];
        offsets.set(JSON.stringify(place), item.at);
        index += 1;
        visit(place, item);
      }
    }
  }

  const root = next();
  offsets.set('[]', root.at);
  visit([], root);
  return (loc) => {
    for (let length = loc.length; length > 0; length -= 1) {
      const offset = offsets.get(JSON.stringify(loc.slice(0, length)));
      if (offset !== undefined) return placeAt(text, offset);
    }
    return placeAt(text, root.at);
  };
}

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
