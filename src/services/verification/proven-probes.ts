/**
 * Probes of endpoints whose host is proven to be the developer's (ADR 0208). Any developer can register any public address, so an
 * address without a proof gets one short run; later runs only look for the proof. Agents with a manifest are not concerned.
 */
import type { EndpointOwnership } from './ownership/endpoint-ownership';
import { claimFirstRun } from '../../stores/catalogue/endpoint-proofs';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { type DbPool, withTransaction } from '../../stores/db';
import { withoutCalls, withoutProof } from './ownership/unproven-evidence';
import type { LiveEvidence, VerificationProbes } from './verification-probes';

export interface ProvenProbesDeps {
  pool: DbPool;
  ownership: Pick<EndpointOwnership, 'prove' | 'isProven'>;
  probes: VerificationProbes;
}

/** With the two requests that look for a proof, a host without one gets at most ten. */
const FIRST_RUN_CALLS = 8;

/** The same probes, which keep to the rule above. */
export function createProvenProbes({ pool, ownership, probes }: ProvenProbesDeps) {
  const live: VerificationProbes['live'] = async (version, runId, options) => {
    if (version.kind === 'manifest' || (await ownership.prove(version, options.signal)))
      return probes.live(version, runId, options);
    const isFirst = await claim(pool, version, runId);
    const mostCalls = isFirst ? FIRST_RUN_CALLS : 0;
    const evidence = await probes.live(version, runId, { ...options, mostCalls });
    if (!isFirst) return withoutCalls(evidence);
    return isCutShort(version, evidence) ? withoutProof(evidence) : evidence;
  };

  return {
    ...probes,
    live,

    /** True if the version may be called between runs. */
    mayProbe: async (version: ServingVersion): Promise<boolean> =>
      version.kind === 'manifest' || ownership.isProven(version),
  };
}

export type ProvenProbes = ReturnType<typeof createProvenProbes>;

function claim(pool: DbPool, version: ServingVersion, runId: string): Promise<boolean> {
  const { agentId, developerUserId, endpointUrl } = version;
  const { origin, hostname: host } = new URL(endpointUrl);
  return withTransaction(pool, (tx) => claimFirstRun(tx, { runId, agentId, origin, host, developerUserId }));
}

/** An MCP server gets its whole pass, which is one list; an agent that never answered is called no more often. */
function isCutShort({ kind }: ServingVersion, { dynamic }: LiveEvidence): boolean {
  return kind === 'http' && dynamic.latency.coverage.looked > 0;
}
