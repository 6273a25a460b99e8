import type { Config } from '../../config';
import { createCallbackTokens } from '../../kit/crypto/callback-token';
import type { CallbackUrls } from '../calls/agent/agent-envelope';

/** Makes the addresses at which the agents of calls may report. */
export function createCallbackUrls(config: Pick<Config, 'PUBLIC_ORIGIN' | 'SESSION_SECRET'>): CallbackUrls {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  const tokens = createCallbackTokens(config.SESSION_SECRET);
  const addresses = createCallbackTokens(config.SESSION_SECRET, 'notification_address');
  const notifications = createCallbackTokens(config.SESSION_SECRET, 'notification');
  const of = (invocationId: string) => `${origin}/v1/callbacks/${invocationId}`;
  return {
    callbackUrlOf: (id) => `${of(id)}/${tokens.of(id)}`,
    pushTargetOf: (id) => ({ url: `${of(id)}/${addresses.of(id)}/task`, token: notifications.of(id) }),
  };
}
