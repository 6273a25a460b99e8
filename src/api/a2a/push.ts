import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { A2aCaller } from './caller';
import type { PushTarget, ShownPush } from '../../services/a2a/a2a-push';

/** A target gets notifications in the version of the request that names it. */
export function targetOf(
  config: TaskPushNotificationConfig,
  { isLegacy }: Pick<A2aCaller, 'isLegacy'>,
): PushTarget {
  return {
    id: config.id,
    url: config.url,
    token: config.token,
    scheme: config.authentication?.scheme ?? '',
    credentials: config.authentication?.credentials ?? '',
    ...(isLegacy && { version: '0.3' }),
  };
}

/** A push config as shown to its owner. Token and credentials are never returned. */
export function shownConfig(shown: ShownPush): TaskPushNotificationConfig {
  return TaskPushNotificationConfig.fromJSON(shown);
}
