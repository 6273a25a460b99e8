import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../api-schema';
import { ApiFailure, type MarketApi } from '../api-client';
import { CliFailure, EXIT } from '../failure';
import type { TrustReport } from './trust-text';

/** Outcome of a version's verification. */
export interface VerificationEnd {
  status: 'live' | 'rejected' | 'superseded';
  reject_reason: string | null;
  /** The newest trust report of this version; null if none exists or the caller may not read it. */
  report: TrustReport | null;
}

type OwnVersion = Schema<'AgentVersion'>;

const LOOK_EVERY_MS = 500;
const LOOK_AT_MOST_EVERY_MS = 5_000;
const ENDS = ['live', 'rejected', 'superseded'];

/**
 * Polls a version until it is live, rejected or superseded, and calls `onState` on each status change. Retryable
 * failures are waited out. Throws `CliFailure` (exit 4) after `timeoutMs`; the verification itself continues.
 */
export async function followVerification(
  api: MarketApi,
  { agentId, version, timeoutMs }: { agentId: string; version: string; timeoutMs: number },
  onState: (state: string, elapsedMs: number) => void,
): Promise<VerificationEnd> {
  const begunAt = Date.now();
  let shown = '';
  for (let waitMs = LOOK_EVERY_MS; ; waitMs = Math.min(waitMs * 1.2, LOOK_AT_MOST_EVERY_MS)) {
    const found = await patiently(() => readVersion(api, agentId, version));
    if (found && found.status !== shown) {
      shown = found.status;
      onState(shown, Date.now() - begunAt);
      waitMs = LOOK_EVERY_MS;
    }
    if (found && ENDS.includes(found.status)) {
      const status = found.status as VerificationEnd['status'];
      return { status, reject_reason: found.reject_reason, report: await reportOf(api, agentId, version) };
    }
    if (Date.now() - begunAt + waitMs > timeoutMs) {
      const seconds = Math.round(timeoutMs / 1_000);
      const message = `${agentId} ${version} is ${shown || 'unknown'} after ${seconds} s; the verification continues`;
      throw new CliFailure(message, EXIT.later, {
        code: 'timeout',
        agent_id: agentId,
        version,
        status: shown,
      });
    }
    await sleep(waitMs);
  }
}

async function readVersion(
  api: MarketApi,
  agentId: string,
  version: string,
): Promise<OwnVersion | undefined> {
  const path = `/v1/developer/agents/${agentId}/versions?limit=100`;
  const { items } = await api.call<{ items: OwnVersion[] }>('GET', path);
  return items.find((item) => item.version === version);
}

/** Searches the agent's reports, because the current report is not that of a rejected version. */
async function reportOf(api: MarketApi, agentId: string, version: string): Promise<TrustReport | null> {
  const path = `/v1/agents/${agentId}/trust-reports?limit=20`;
  try {
    const { items } = await api.call<{ items: TrustReport[] }>('GET', path);
    return items.find((report) => report.version === version) ?? null;
  } catch (error) {
    // an API key may be allowed to publish but not to read
    if (error instanceof ApiFailure && (error.status === 404 || error.status === 403)) return null;
    throw error;
  }
}

async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CliFailure && error.exitCode === EXIT.later) return undefined;
    throw error;
  }
}
