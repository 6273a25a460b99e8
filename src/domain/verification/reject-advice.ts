import { textOfCause } from '../calls/connection-cause';
import type { ProbeFact } from './probe-facts';

/** The agent whose version was rejected. `isSelfHosted`: it was registered by its endpoint. */
export interface RejectedAgent {
  agentId: string;
  isSelfHosted: boolean;
}

/**
 * Says what the owner can do when the status of a failed probe does not explain itself, as one sentence more; empty if
 * it does. A major version is an agent of its own, so its requests are signed by another secret than those of the major
 * before at the same endpoint.
 */
export function rejectAdvice(
  probes: readonly Pick<ProbeFact, 'code' | 'status' | 'cause'>[],
  agent: RejectedAgent,
): string {
  const cause = probes.find((probe) => probe.cause !== undefined)?.cause;
  if (cause) return textOfCause(cause).remedy;
  const failed = probes.find(({ code }) => code === 'agent_error');
  if (failed?.status === 401 || failed?.status === 403) return refusedAdvice(agent);
  if (failed?.status === 200)
    return (
      'The status was 200, but the body is not one JSON value. If the agent streams (text/event-stream, ' +
      'application/x-ndjson), declare capabilities.streaming; otherwise answer with application/json.'
    );
  return '';
}

function refusedAdvice({ agentId, isSelfHosted }: RejectedAgent): string {
  if (isSelfHosted) return 'The endpoint refuses our credential: check header and key of upstream_auth.';
  return (
    'The agent refuses the signature. Each major version is an agent of its own with a signing secret of its own: set ' +
    `MARKET_SIGNING_SECRET to the signing_secret that "market agents show ${agentId} --json" prints.`
  );
}
