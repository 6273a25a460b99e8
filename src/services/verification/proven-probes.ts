/**
 * Probes of endpoints whose host is proven to be the developer's (ADR 0208, ADR 0416). Any developer can name any
 * public address, so an address without a proof gets one short run; later runs only look for the proof.
 */
import type { RedTeamEvidence } from '../../domain/verification/probe-facts';
import type { CallAllowance } from '../../domain/verification/verification';
import type { LiveStage } from '../../verification/probes/live-plan';
import type { EndpointOwnership } from './ownership/endpoint-ownership';
import { claimFirstRun } from '../../stores/catalogue/endpoint-proofs';
import type { ServingVersion } from '../../stores/catalogue/serving-versions';
import { type DbPool, withTransaction } from '../../stores/db';
import { withoutCalls, withoutProof } from './ownership/unproven-evidence';
import type { LiveEvidence, LiveOptions } from './probes/live-stages';
import type { VerificationProbes } from './probes/verification-probes';

export interface ProvenProbesDeps {
  pool: DbPool;
  ownership: Pick<EndpointOwnership, 'prove' | 'isProven'>;
  probes: VerificationProbes;
}

/**
 * Calls of each stage, which run at the same time: eight in all. With the two requests that look for a proof, a host
 * without one gets at most ten.
 */
const FEW_CALLS = { dynamic: 5, redTeam: 3 } as const satisfies Record<LiveStage, number>;

/** The same probes, which keep to the rule above. */
export function createProvenProbes({ pool, ownership, probes }: ProvenProbesDeps) {
  return {
    ...probes,

    /**
     * Looks for a proof, and returns what the run may send. Both stages of a run use one answer, so a host gets one
     * look.
     */
    async allowance(version: ServingVersion, runId: string, signal: AbortSignal): Promise<CallAllowance> {
      const state = await ownership.prove(version, signal);
      if (state !== 'unproven') return state === 'proven' ? 'all' : 'refused';
      return (await claim(pool, version, runId)) ? 'few' : 'none';
    },

    async dynamic(
      version: ServingVersion,
      runId: string,
      options: AllowedOptions,
    ): Promise<LiveEvidence['dynamic']> {
      const evidence = await probes.dynamic(version, runId, { ...options, ...mostCalls('dynamic', options) });
      if (isNothing(options)) return withoutCalls.dynamic(evidence);
      const isCut = isCutShort(version, options) && evidence.latency.coverage.looked > 0;
      return isCut ? withoutProof.dynamic(evidence) : evidence;
    },

    async redTeam(version: ServingVersion, runId: string, options: AllowedOptions): Promise<RedTeamEvidence> {
      const evidence = await probes.redTeam(version, runId, { ...options, ...mostCalls('redTeam', options) });
      if (isNothing(options)) return withoutCalls.redTeam(evidence);
      const { calls, faults } = evidence.share?.reliability ?? { calls: 0, faults: 0 };
      return isCutShort(version, options) && calls > faults ? withoutProof.redTeam(evidence) : evidence;
    },

    /** True if the version may be called between runs. */
    mayProbe: (version: ServingVersion): Promise<boolean> => ownership.isProven(version),
  };
}

export type ProvenProbes = ReturnType<typeof createProvenProbes>;

type AllowedOptions = Omit<LiveOptions, 'mostCalls'> & { allowed: CallAllowance };

const isNothing = ({ allowed }: Pick<AllowedOptions, 'allowed'>) =>
  allowed === 'none' || allowed === 'refused';

function mostCalls(stage: LiveStage, { allowed }: Pick<AllowedOptions, 'allowed'>): { mostCalls?: number } {
  if (allowed === 'all') return {};
  return { mostCalls: allowed === 'few' ? FEW_CALLS[stage] : 0 };
}

function claim(pool: DbPool, version: ServingVersion, runId: string): Promise<boolean> {
  const { agentId, developerUserId, endpointUrl } = version;
  const { origin, hostname: host } = new URL(endpointUrl);
  return withTransaction(pool, (tx) => claimFirstRun(tx, { runId, agentId, origin, host, developerUserId }));
}

/**
 * An MCP server gets its whole pass, which is one list. An agent that never answered is called no more often than with
 * a proof.
 */
function isCutShort({ kind }: ServingVersion, { allowed }: AllowedOptions): boolean {
  return (kind === 'http' || kind === 'manifest') && allowed === 'few';
}
