import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { PushTarget, ShownPush } from '../../services/a2a/a2a-push';

export function targetOf(config: TaskPushNotificationConfig): PushTarget {
  return {
    id: config.id,
    url: config.url,
    token: config.token,
    scheme: config.authentication?.scheme ?? '',
    credentials: config.authentication?.credentials ?? '',
  };
}

/** A push config as shown to its owner. Token and credentials are never returned. */
export function shownConfig(shown: ShownPush): TaskPushNotificationConfig {
  return TaskPushNotificationConfig.fromJSON(shown);
}
