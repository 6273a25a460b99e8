/**
 * Secret rules for cases that the rules of gitleaks (gitleaks/gitleaks.toml) do not cover, or in which they require
 * the issuer's name beside a value that is recognizable by itself. Patterns are RE2, keywords are lower case; a rule
 * runs only near one of its keywords.
 */
export interface SecretRule {
  id: string;
  description: string;
  regex: string;
  keywords: string[];
  /** Minimum Shannon entropy of the secret, in bits per character. */
  entropy?: number;
  /** Capture group with the secret; default: the first group that matched, or the whole match. */
  secretGroup?: number;
  /** Restricts the rule to files whose path matches. */
  path?: string;
  /**
   * Patterns that exclude a match, over the secret, the match, the line or the path; with `paths`, only in files of
   * which one of them matches the path.
   */
  allow?: { target: 'secret' | 'match' | 'line' | 'path'; regex: string; paths?: string[] }[];
  stopwords?: string[];
  /** Id of the shipped rule for the same form; what it excludes is excluded here as well. */
  excludesLike?: string;
  /**
   * Heuristic rule that relies on the names around a value. A match of another rule in the same place takes
   * precedence.
   */
  isGuess?: boolean;
  /** The value is a part of a longer text, such as an address or a header, so no quotation mark precedes it. */
  isInText?: boolean;
}

/** A key that is recognizable by its form. */
export const form = (
  id: string,
  what: string,
  regex: string,
  keywords: string[],
  entropy = 3,
): SecretRule => ({
  id,
  description: what,
  regex,
  keywords,
  entropy,
});

/** Keys that begin with a prefix of their issuer, followed by letters and digits. */
export const prefixed = (id: string, what: string, prefix: string, rest: string, entropy = 3): SecretRule =>
  form(
    id,
    what,
    `(?:^|[^A-Za-z0-9_])(${prefix.replaceAll('.', '\\.')}${rest})(?:[^A-Za-z0-9_]|$)`,
    [prefix.toLowerCase()],
    entropy,
  );
