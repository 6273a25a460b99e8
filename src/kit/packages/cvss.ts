import { Cvss2, Cvss3P0, Cvss3P1, Cvss4P0 } from 'ae-cvss-calculator';

/** The longest vector, CVSS 4.0 with every optional metric, has fewer than 200 characters. */
const MAX_LENGTH = 256;
const METRICS = /^[A-Za-z]{1,3}:[A-Za-z]{1,5}(?:\/[A-Za-z]{1,3}:[A-Za-z]{1,5})*$/;

/** The base score of each version by its prefix. CVSS 2 vectors have none. */
const VERSIONS: readonly (readonly [prefix: string, score: (vector: string) => number | undefined])[] = [
  ['CVSS:4.0/', (vector) => scoreOf(new Cvss4P0(vector), ({ baseMetricsOnly }) => baseMetricsOnly)],
  ['CVSS:3.1/', (vector) => scoreOf(new Cvss3P1(vector), ({ base }) => base)],
  ['CVSS:3.0/', (vector) => scoreOf(new Cvss3P0(vector), ({ base }) => base)],
  ['', (vector) => scoreOf(new Cvss2(vector), ({ base }) => base)],
];

interface Vector<Scores> {
  isBaseFullyDefined(): boolean;
  calculateScores(): Scores;
}

/**
 * The base score, 0 to 10, of a CVSS vector of version 2, 3.0, 3.1 or 4.0, such as `CVSS:3.1/AV:N/AC:L/…`. Threat,
 * temporal and environmental metrics are read but do not count. Undefined for other versions, unknown or repeated
 * metrics, and vectors that lack a base metric.
 */
export function cvssBaseScore(vector: string): number | undefined {
  if (vector.length > MAX_LENGTH) return undefined;
  const [prefix, score] = VERSIONS.find(([start]) => vector.startsWith(start)) ?? [];
  if (prefix === undefined || score === undefined) return undefined;
  const metrics = vector.slice(prefix.length);
  if (!METRICS.test(metrics) || repeatsMetric(metrics)) return undefined;
  try {
    return score(vector);
  } catch {
    // The library throws for metrics and values that the version does not have.
    return undefined;
  }
}

function scoreOf<Scores>(
  vector: Vector<Scores>,
  pick: (scores: Scores) => number | undefined,
): number | undefined {
  return vector.isBaseFullyDefined() ? pick(vector.calculateScores()) : undefined;
}

/** The library takes the last of several values; the specifications forbid them. */
function repeatsMetric(metrics: string): boolean {
  const names = metrics.split('/').map((metric) => metric.slice(0, metric.indexOf(':')));
  return new Set(names).size !== names.length;
}
