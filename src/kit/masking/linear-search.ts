import { RE2JS } from 're2js';

/** A match of a pattern; `groups[0]` is the whole match. */
export interface PatternHit {
  index: number;
  groups: (string | null)[];
}

export interface LinearPattern {
  /** Non-overlapping matches from the start of the text, at most `most`. */
  find(text: string, most: number): PatternHit[];
  test(text: string): boolean;
}

/**
 * Compiles a regular expression in RE2 syntax, which matches in linear time. Throws when the expression is not valid
 * RE2.
 */
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
