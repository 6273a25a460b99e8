import { RE2JS } from 're2js';

/** Where a pattern was found; `groups[0]` is the whole. */
export interface PatternHit {
  index: number;
  groups: (string | null)[];
}

export interface LinearPattern {
  /** The places in a text, from the first on, that do not overlap; at most `most`. */
  find(text: string, most: number): PatternHit[];
  test(text: string): boolean;
}

/** A regular expression of RE2's language that takes linear time; throws when it is none. */
export function linearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(pattern);
  return {
    test: (text) => compiled.matcher(text).find(),
    find(text, most) {
      const hits: PatternHit[] = [];
      const matcher = compiled.matcher(text);
      while (hits.length < most && matcher.find()) {
        const groups: (string | null)[] = [];
        for (let group = 0; group <= matcher.groupCount(); group += 1) groups.push(matcher.group(group));
        hits.push({ index: matcher.start(), groups });
      }
      return hits;
    },
  };
}
