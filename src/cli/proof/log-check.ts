/**
 * Verifies a copy of the market log and the proof of balances, without the marketplace (docs/proof-of-liabilities.md).
 */
import {
  LIABILITY_KINDS,
  type LiabilityStatement,
  NO_STATEMENT,
  SERVICE_KINDS,
  sumOf,
} from '../../domain/ledger/market-log';
import type { EcPublicJwk } from '../../kit/crypto/jws';
import { isSignedBy, parseJws } from '../../kit/crypto/jws-verify';
import { leafHash, rootOfPath } from '../../kit/ledger/sum-tree';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import type { Schema } from '../api-schema';

export type LogDay = Schema<'MarketLogDay'>;
export type Proof = Schema<'BalanceProof'>;
export type Keys = readonly (EcPublicJwk & { kid: string })[];

/** Everything that a verification needs: a proof, the log and the keys. */
export interface ProofFile {
  proof: Proof;
  /** Newest first. */
  log: LogDay[];
  keys: Keys;
}

/** What is wrong with a log, newest day first: seals, sums, or the chain from each day to the one before. */
export function problemsOfLog(log: readonly LogDay[], keys: Keys): string[] {
  return log.flatMap((day, at) => [...problemsOfDay(day, keys), ...problemsOfChain(day, log[at + 1])]);
}

function problemsOfDay(day: LogDay, keys: Keys): string[] {
  const { owed, service, ledger_sha256, previous_sha256 } = day;
  const terms: LiabilityStatement = {
    format: 1,
    day: day.day,
    owed,
    service,
    ledger_sha256,
    previous_sha256,
  };
  const isWhole =
    LIABILITY_KINDS.every((kind) => owed[kind].units >= 0) &&
    SERVICE_KINDS.every((kind) => Number.isSafeInteger(service[kind]));
  const problems: string[] = [];
  if (!isSealed(day, canonicalJson(terms), keys))
    problems.push(`${day.day}: its seal is not of what it says`);
  if (sumOf(terms) !== 0 || !isWhole)
    problems.push(`${day.day}: what is owed and what the service has do not sum to 0`);
  return problems;
}

function isSealed({ seal, statement_sha256 }: LogDay, statement: string, keys: Keys): boolean {
  const jws = parseJws(seal);
  const key = keys.find(({ kid }) => kid === jws?.header.kid);
  if (!jws || !key || jws.header.typ !== 'market-log') return false;
  const isSame = canonicalJson(jws.claims) === statement && sha256Hex(statement) === statement_sha256;
  return isSame && isSignedBy(jws, { kty: 'EC', crv: 'P-256', x: key.x, y: key.y });
}

function problemsOfChain(day: LogDay, before: LogDay | undefined): string[] {
  if (!before)
    return day.previous_sha256 === NO_STATEMENT ? [] : [`${day.day}: the days before it are missing`];
  const problems: string[] = [];
  if (Date.parse(day.day) - Date.parse(before.day) !== 86_400_000)
    problems.push(`${day.day}: the day before it in the log is ${before.day}`);
  if (day.previous_sha256 !== before.statement_sha256)
    problems.push(`${day.day}: it does not continue ${before.day}`);
  return problems;
}

/** What is wrong with a proof, given a log whose own problems are found by `problemsOfLog`. */
export function problemsOfProof(proof: Proof, log: readonly LogDay[]): string[] {
  const day = log.find((each) => each.day === proof.day);
  if (day?.statement_sha256 !== proof.statement_sha256)
    return [`${proof.day}: the log has no such statement as the proof`];
  return proof.balances.flatMap(({ kind, units, blind, path }) => {
    const leaf = { units, hash: leafHash({ day: proof.day, kind, owner: proof.owner, units, blind }) };
    const nodes = path.map(({ side, units: sum, sha256 }) => ({ side, units: sum, hash: sha256 }));
    const root = rootOfPath(leaf, nodes);
    const owed = day.owed[kind];
    const isIn = root?.units === owed.units && root.hash === owed.root_sha256;
    return isIn ? [] : [`${proof.day}: your ${kind} of ${units} units is not in what the log says is owed`];
  });
}

/** Days of the log by their hashes, as they were seen before. */
export type KeptDays = Record<string, string>;

/** What was seen before and is no longer there, oldest first. */
export function problemsSince(kept: KeptDays, log: readonly LogDay[]): string[] {
  const now = new Map(log.map(({ day, statement_sha256 }) => [day, statement_sha256]));
  return Object.entries(kept)
    .sort()
    .flatMap(([day, hash]) => {
      const found = now.get(day);
      if (found === undefined) return [`${day}: the day was dropped`];
      return found === hash ? [] : [`${day}: its statement was replaced`];
    });
}
