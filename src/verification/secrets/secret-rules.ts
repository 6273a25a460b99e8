import { parseToml } from '../../kit/packages/config-files';
import type { SecretRule } from '../data/secret-rule';
import { OWN_RULES } from '../data/secret-rules';
import { vendoredText } from '../vendored-data';

interface RawAllowlist {
  regexes?: unknown;
  paths?: unknown;
  stopwords?: unknown;
  regexTarget?: unknown;
  condition?: unknown;
}

interface RawRule extends Record<string, unknown> {
  allowlists?: unknown;
  allowlist?: unknown;
}

/** Prefix of gitleaks rules that match any value beside the name of an issuer. */
const BY_NAME = '(?i)[\\w.-]{0,50}?(?:';
/** Rules for public identifiers, which issuers do not treat as secret. */
const PUBLIC_VALUE = /client-id$|-pub(?:lic)?-(?:api-)?key$/;

/**
 * The rules of gitleaks, the service's own, and those of an operator's file; later rules replace earlier ones with
 * the same id. `ruleFile` is the text of the operator's file in the format of gitleaks.
 */
export function secretRules(ruleFile?: string): SecretRule[] {
  const shipped = readRules(vendoredText('gitleaks/gitleaks.toml')).map((rule) => ({
    ...rule,
    description: rule.isGuess ? rule.id : `A secret of the kind ${rule.id}`,
    // Third-party code, lockfiles and files with a misleading name are searched as well.
    allow: rule.allow?.filter(({ target }) => target !== 'path') ?? [],
  }));
  const own = OWN_RULES.map((rule) => {
    const like = shipped.find(({ id }) => id === rule.excludesLike);
    return like ? { ...rule, allow: [...(rule.allow ?? []), ...like.allow] } : rule;
  });
  const given = ruleFile === undefined ? [] : readRules(ruleFile);
  return [...new Map([...shipped, ...own, ...given].map((rule) => [rule.id, rule])).values()];
}

/**
 * Parses rules in the format of gitleaks (TOML: `[[rules]]` with id, description, regex, keywords, entropy,
 * secretGroup, path, allowlists; a global `[allowlist]`). Rules without regex or id are skipped. Expressions of an
 * allowlist with `condition = "AND"` count only in the files that its paths match. Throws `Error` when the text is not
 * a rule file.
 */
export function readRules(toml: string): SecretRule[] {
  const document = parseToml(toml) as { rules?: unknown; allowlist?: unknown } | undefined;
  if (!Array.isArray(document?.rules)) throw new Error('is not a rule file: expected TOML with [[rules]]');
  const common = allowOf(document.allowlist);
  return (document.rules as RawRule[]).flatMap((raw) => {
    const { id, regex, description, keywords, entropy, secretGroup, path } = raw;
    if (typeof id !== 'string' || typeof regex !== 'string') return [];
    const lists = [...asArray(raw.allowlists), ...asArray(raw.allowlist)].map(allowOf);
    const rule: SecretRule = {
      id,
      regex,
      description: typeof description === 'string' ? description : id,
      keywords: strings(keywords).map((keyword) => keyword.toLowerCase()),
      allow: [common, ...lists].flatMap(({ allow }) => allow),
      stopwords: [common, ...lists].flatMap(({ stopwords }) => stopwords),
    };
    if (typeof entropy === 'number') rule.entropy = entropy;
    if (typeof secretGroup === 'number') rule.secretGroup = secretGroup;
    if (typeof path === 'string') rule.path = path;
    if (regex.startsWith(BY_NAME) || PUBLIC_VALUE.test(id)) rule.isGuess = true;
    return [rule];
  });
}

function allowOf(given: unknown): { allow: NonNullable<SecretRule['allow']>; stopwords: string[] } {
  const list = (given ?? {}) as RawAllowlist;
  const target = list.regexTarget === 'match' || list.regexTarget === 'line' ? list.regexTarget : 'secret';
  if (list.condition === 'AND') {
    const paths = strings(list.paths);
    return { allow: strings(list.regexes).map((regex) => ({ target, regex, paths })), stopwords: [] };
  }
  return {
    allow: [
      ...strings(list.regexes).map((regex) => ({ target, regex }) as const),
      ...strings(list.paths).map((regex) => ({ target: 'path', regex }) as const),
    ],
    stopwords: strings(list.stopwords).map((word) => word.toLowerCase()),
  };
}

function asArray(given: unknown): unknown[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}

function strings(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((item): item is string => typeof item === 'string') : [];
}
