import type { BodyOf } from '../../contract/operation';
import type { changeKey } from '../../contract/keys';
import type { KeyLimits } from '../../domain/accounts/oauth-grant';

type Body = Omit<BodyOf<typeof changeKey>, 'name'>;

/** The limits of an API key or a grant that a body names. */
export function limitsIn(body: Body): Partial<KeyLimits> {
  const { credit_cap, credit_cap_window, call_cap, min_trust_score, agents } = body;
  return {
    ...(credit_cap !== undefined && { creditCap: credit_cap }),
    ...(credit_cap_window !== undefined && { capWindow: credit_cap_window }),
    ...(call_cap !== undefined && { callCap: call_cap }),
    ...(min_trust_score !== undefined && { leastTrust: min_trust_score }),
    ...(agents !== undefined && { onlyAgents: agents }),
  };
}
