/** Weights of CVSS 3.0 and 3.1 (FIRST, "Common Vulnerability Scoring System v3.1: Specification Document", 7.4). */
const WEIGHTS: Record<string, Record<string, number>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};
const PRIVILEGES = { N: [0.85, 0.85], L: [0.62, 0.68], H: [0.27, 0.5] } as const;

/** The base score, 0 to 10, of a vector such as `CVSS:3.1/AV:N/AC:L/…`; undefined for other versions and for none. */
export function cvssBaseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const metrics = new Map(vector.split('/').map((part) => part.split(':') as [string, string]));
  const weight = (name: string): number => WEIGHTS[name]?.[metrics.get(name) ?? ''] ?? Number.NaN;
  const isChanged = metrics.get('S') === 'C';
  const privileges = PRIVILEGES[metrics.get('PR') as keyof typeof PRIVILEGES] as
    readonly number[] | undefined;
  const base = 1 - (1 - weight('C')) * (1 - weight('I')) * (1 - weight('A'));
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  const ease =
    8.22 * weight('AV') * weight('AC') * (privileges?.[isChanged ? 1 : 0] ?? Number.NaN) * weight('UI');
  const sum = (isChanged ? 1.08 : 1) * (impact + ease);
  if (Number.isNaN(sum)) return undefined;
  return impact <= 0 ? 0 : roundUp(Math.min(sum, 10));
}

/** Up to one decimal place, as the specification rounds. */
function roundUp(score: number): number {
  const scaled = Math.round(score * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}
