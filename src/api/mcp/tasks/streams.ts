import type { Config } from '../../../config';
import type { Authentication } from '../../identity/authentication';
import { createStreamCredentials } from '../../identity/stream-credentials';
import { lifeOf } from '../../answers/stream-life';
import { createStreamPlaces, type MostStreams } from '../../requests/stream-places';
import type { McpExchange } from '../wire/mcp-request';

/** The streams on which clients wait for tasks. */
export interface TaskStreams {
  /**
   * Begins the stream of a request, in a place of its account. Returns a signal that aborts when the client has
   * disconnected, when its credential is no longer valid, and at the end of the stream's life. Throws
   * `concurrency_limited`.
   */
  open(request: McpExchange): AbortSignal;
}

export function createTaskStreams(
  config: MostStreams & Pick<Config, 'EVENT_STREAMS_PER_ACCOUNT'>,
  authentication: Pick<Authentication, 'isStillValid'>,
): TaskStreams {
  const credentials = createStreamCredentials(authentication);
  const places = createStreamPlaces(
    config,
    `The account follows tasks by ${config.EVENT_STREAMS_PER_ACCOUNT} event streams, the most at a time. End one, or poll with tasks/get.`,
  );
  return {
    open({ principal, req, res, reply }) {
      places.enter(principal.userId, res);
      reply.begin();
      return lifeOf(req, res, reply.gone, credentials);
    },
  };
}
