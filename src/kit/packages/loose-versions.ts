/**
 * Compares versions that their ecosystem's own rules do not accept, and that published packages and advisories have all
 * the same. The order is that of OSV's scanner (google/osv-scalibr, `semantic`); its fixtures are in
 * `test/corpora/osv`.
 */

/**
 * Compares versions that resemble semver: any number of digits and components, a suffix without a hyphen. Components
 * after the third one count as part of the suffix, and a version with a suffix precedes the one without. Returns
 * undefined for other text.
 */
export function compareLikeSemver(first: string, second: string): number | undefined {
  const [a, b] = [parse(first), parse(second)];
  if (!a || !b) return undefined;
  for (let at = 0; at < 3; at += 1) {
    const order = compare(a.numbers[at] ?? 0n, b.numbers[at] ?? 0n);
    if (order !== 0) return order;
  }
  return compareSuffixes(a.suffix, b.suffix);
}

function parse(version: string): { numbers: bigint[]; suffix: string } | undefined {
  const [, digits, rest = ''] = /^v?(\d+(?:\.\d+)*)(.*)$/s.exec(version) ?? [];
  if (digits === undefined) return undefined;
  const components = digits.split('.');
  const more = components.slice(3).map((component) => `.${component}`);
  const suffix = (rest + more.join('')).replace(/\+.*$/s, '').replace(/^-/, '');
  return { numbers: components.slice(0, 3).map(BigInt), suffix };
}

function compareSuffixes(a: string, b: string): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const [ours, theirs] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.min(ours.length, theirs.length); at += 1) {
    const order = compareIdentifiers(ours[at] ?? '', theirs[at] ?? '');
    if (order !== 0) return order;
  }
  return compare(ours.length, theirs.length);
}

/** Numbers by their value, before all text. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isAlsoNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isAlsoNumber) return compare(BigInt(a), BigInt(b));
  return isNumber === isAlsoNumber ? compare(a, b) : isNumber ? -1 : 1;
}

const REPLACED: Readonly<Record<string, string>> = {
  pre: 'c',
  preview: 'c',
  rc: 'c',
  dev: '@',
  '-': 'final-',
};

/** Compares versions of PyPI from before PEP 440, as `LegacyVersion` of Python's packaging did. */
export function compareLegacyPython(first: string, second: string): number {
  const [a, b] = [legacyParts(first), legacyParts(second)];
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const order = compare(a[at] ?? '', b[at] ?? '');
    if (order !== 0) return order;
  }
  return compare(a.length, b.length);
}

function legacyParts(version: string): string[] {
  const parts: string[] = [];
  const found = version.toLowerCase().split(/(\d+|[a-z]+|\.|-)/);
  for (const text of found.map((one) => REPLACED[one] ?? one).filter((one) => one !== '' && one !== '.')) {
    const part = /^\d/.test(text) ? text.padStart(8, '0') : `*${text}`;
    if (part.startsWith('*')) dropTrailing(parts, part);
    parts.push(part);
  }
  dropTrailing(parts, '*final');
  return [...parts, '*final'];
}

/** Zeros, and hyphens before a prerelease, do not count. */
function dropTrailing(parts: string[], next: string): void {
  while (next < '*final' && parts.at(-1) === '*final-') parts.pop();
  while (parts.at(-1) === '00000000') parts.pop();
}

function compare<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
