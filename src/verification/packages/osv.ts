/** OSV advisories: reads records, rates them, and decides which versions they affect. */
import type { Ecosystem, FactSeverity } from '../../domain/evidence/evidence-facts';
import { compareVersions, normalName, publicVersion } from '../../kit/packages/package-versions';
import { cvssBaseScore } from '../../kit/packages/cvss';
import { asArray, asText } from './package-facts';
import { asRecord } from '../../domain/json-value';

/** An advisory for one package. */
export interface Advisory {
  advisoryId: string;
  ecosystem: Ecosystem;
  name: string;
  severity: FactSeverity;
  summary: string;
  /** RFC 3339 timestamp from the record. */
  modified: string;
  affected: AffectedVersions;
}

export interface AffectedVersions {
  /** Individually listed versions. */
  versions: string[];
  /** Version ranges in the ecosystem's order; each is a list of events. */
  ranges: RangeEvent[][];
}

export interface RangeEvent {
  type: 'introduced' | 'fixed' | 'last_affected' | 'limit';
  version: string;
}

export interface OsvRecord {
  advisoryId: string;
  /** RFC 3339 timestamp. */
  modified: string;
  withdrawn: boolean;
  /** One per package of a supported ecosystem; empty when there is none. */
  advisories: Advisory[];
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{2,99}$/;
const SUMMARY_LENGTH = 300;
/** Control characters, replaced because a summary is shown on one line. */
const CONTROLS = /\p{Cc}+/gu;
const EVENTS = ['introduced', 'fixed', 'last_affected', 'limit'] as const;
const RATINGS: Record<string, FactSeverity> = {
  CRITICAL: 'critical',
  HIGH: 'high',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  LOW: 'low',
};

/** Reads an OSV record; returns undefined when the value is not one. */
export function readOsvRecord(given: unknown): OsvRecord | undefined {
  const record = asRecord(given);
  const advisoryId = asText(record.id);
  const modified = asText(record.modified);
  if (advisoryId === undefined || !ID.test(advisoryId)) return undefined;
  if (modified === undefined || Number.isNaN(Date.parse(modified))) return undefined;
  const common = { advisoryId, modified, summary: summaryOf(record) };
  const packages = new Map<string, Advisory>();
  for (const item of Array.isArray(record.affected) ? record.affected : []) {
    const affected = asRecord(item);
    const { ecosystem, name } = asRecord(affected.package);
    const kind = ecosystemOf(ecosystem);
    if (!kind || typeof name !== 'string' || name === '' || name.length > 214) continue;
    const normal = normalName(kind, name);
    const before = packages.get(`${kind} ${normal}`);
    if (before) join(before.affected, affectedOf(affected));
    else {
      const severity = severityOf(advisoryId, record, affected);
      packages.set(`${kind} ${normal}`, {
        ...common,
        ecosystem: kind,
        name: normal,
        severity,
        affected: affectedOf(affected),
      });
    }
  }
  return {
    advisoryId,
    modified,
    withdrawn: isDate(record.withdrawn),
    advisories: [...packages.values()],
  };
}

/** Exporters write null for an absent date. */
function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** True for malicious packages, which are recognized by their id prefix (OSSF malicious-packages). */
export function isMalicious(advisoryId: string): boolean {
  return advisoryId.startsWith('MAL-');
}

/** True when a version is affected, by the evaluation algorithm of the OSV schema. */
export function isAffected(
  ecosystem: Ecosystem,
  version: string,
  { versions, ranges }: AffectedVersions,
): boolean {
  const built = publicVersion(ecosystem, version);
  const isListed = (one: string) =>
    one === version || [version, built].some((known) => compareVersions(ecosystem, one, known) === 0);
  if (versions.some(isListed)) return true;
  return (
    compareVersions(ecosystem, version, version) === 0 &&
    ranges.some((events) => isInRange(ecosystem, version, events))
  );
}

/**
 * The lowest higher version that fixes the advisory, by the ranges that affect the version; null when there is none.
 */
export function fixedIn(ecosystem: Ecosystem, version: string, { ranges }: AffectedVersions): string | null {
  const fixes = ranges
    .filter((events) => isInRange(ecosystem, version, events))
    .flatMap((events) => events.filter(({ type }) => type === 'fixed').map((event) => event.version))
    .filter((fix) => (compareVersions(ecosystem, fix, version) ?? 0) > 0);
  return fixes.sort((a, b) => compareVersions(ecosystem, a, b) ?? 0)[0] ?? null;
}

function isInRange(ecosystem: Ecosystem, version: string, events: readonly RangeEvent[]): boolean {
  const order = (a: string, b: string) => compareVersions(ecosystem, a, b);
  const limits = events.filter(({ type }) => type === 'limit');
  if (
    limits.length > 0 &&
    !limits.some((limit) => limit.version === '*' || (order(version, limit.version) ?? 0) < 0)
  )
    return false;
  let affected = false;
  const sorted = [...events].sort(
    (a, b) => Number(isBeginning(b)) - Number(isBeginning(a)) || (order(a.version, b.version) ?? 0),
  );
  for (const event of sorted) {
    const compared = isBeginning(event) ? 1 : order(version, event.version);
    if (compared === undefined) continue;
    if (event.type === 'introduced' && compared >= 0) affected = true;
    if (event.type === 'fixed' && compared >= 0) affected = false;
    if (event.type === 'last_affected' && compared > 0) affected = false;
  }
  return affected;
}

/** An introduced `0` precedes every version. In other events, `0` is a version. */
function isBeginning({ type, version }: RangeEvent): boolean {
  return type === 'introduced' && version === '0';
}

function ecosystemOf(given: unknown): Ecosystem | undefined {
  const [kind] = typeof given === 'string' ? given.split(':') : [];
  return kind === 'npm' || kind === 'PyPI' ? kind : undefined;
}

function affectedOf(affected: Record<string, unknown>): AffectedVersions {
  const versions = (Array.isArray(affected.versions) ? affected.versions : []).filter(isShort);
  const ranges = (Array.isArray(affected.ranges) ? affected.ranges : [])
    .map(asRecord)
    .filter(({ type }) => type === 'SEMVER' || type === 'ECOSYSTEM')
    .map(({ events }) => (Array.isArray(events) ? events : []).map(asRecord).flatMap(eventsOf));
  return { versions, ranges: ranges.filter((events) => events.length > 0) };
}

function eventsOf(event: Record<string, unknown>): RangeEvent[] {
  return EVENTS.flatMap((type) => {
    const version = event[type];
    return isShort(version) ? [{ type, version }] : [];
  });
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 256;
}

function join(into: AffectedVersions, more: AffectedVersions): void {
  into.versions.push(...more.versions);
  into.ranges.push(...more.ranges);
}

function summaryOf(record: Record<string, unknown>): string {
  const text = asText(record.summary) ?? asText(record.details) ?? '';
  const start = text.slice(0, SUMMARY_LENGTH * 2);
  return start.replaceAll(CONTROLS, ' ').trim().slice(0, SUMMARY_LENGTH);
}

function severityOf(
  id: string,
  record: Record<string, unknown>,
  affected: Record<string, unknown>,
): FactSeverity {
  if (isMalicious(id)) return 'critical';
  for (const owner of [affected.database_specific, affected.ecosystem_specific, record.database_specific]) {
    const rating = RATINGS[String(asText(asRecord(owner).severity)).toUpperCase()];
    if (rating) return rating;
  }
  const vectors = [...asArray(affected.severity), ...asArray(record.severity)];
  const scores = vectors.map((item) => cvssBaseScore(asText(asRecord(item).score) ?? ''));
  const score = Math.max(...scores.filter((one) => one !== undefined), -1);
  if (score < 0) return 'medium';
  if (score >= 9) return 'critical';
  return score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low';
}
