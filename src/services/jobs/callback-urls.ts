import type { Config } from '../../config';
import { createCallbackTokens } from '../../kit/crypto/callback-token';

/** Returns the function that makes the address at which the agent of a call may call back (ADR 0305). */
export function createCallbackUrls(config: Pick<Config, 'PUBLIC_ORIGIN' | 'SESSION_SECRET'>) {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const tokens = createCallbackTokens(config.SESSION_SECRET);
  return (invocationId: string): string =>
    `${origin}/v1/callbacks/${invocationId}/${tokens.of(invocationId)}`;
}
