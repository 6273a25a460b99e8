import type { Request } from 'express';
import type { Config } from '../../config';
import { streamEvents } from '../../contract/events';
import { MarketError } from '../../domain/errors';
import { RECONNECT_MS } from '../../domain/webhooks/event-stream';
import type { EventStreams } from '../../services/webhooks/event-streams';
import { startEventStream } from '../answers/sse';
import { lifeOf } from '../answers/stream-life';
import type { Authentication } from '../identity/authentication';
import { createStreamCredentials } from '../identity/stream-credentials';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { createStreamPlaces } from '../requests/stream-places';
import { accountEventView } from '../views/webhooks';

export interface EventRouteDeps {
  config: Config;
  eventStreams: Pick<EventStreams, 'follow'>;
  authentication: Pick<Authentication, 'isStillValid'>;
}

/** The event stream of the caller's account. */
export function eventRoutes(
  binder: RouteBinder,
  { config, eventStreams, authentication }: EventRouteDeps,
): void {
  const credentials = createStreamCredentials(authentication);
  const places = createStreamPlaces(
    config,
    `The account has ${config.EVENT_STREAMS_PER_ACCOUNT} event streams, the most at a time. End one, or read its events from another one.`,
  );
  binder.bind(streamEvents, async ({ principal: { userId }, query, req, res }) => {
    const after = toPosition(query.after ?? lastEventId(req));
    places.enter(userId, res);
    const stream = startEventStream(res);
    const signal = lifeOf(req, res, stream.closed, credentials);
    const { position, isComplete, events } = await eventStreams.follow(userId, { after, signal });
    const types = query.type && new Set<string>(query.type);
    void stream.send({ complete: isComplete }, { event: 'ready', id: String(position), retry: RECONNECT_MS });
    for await (const event of events) {
      if (types && !types.has(event.type)) continue;
      await stream.send(accountEventView(event), { id: String(event.position) });
    }
    res.end();
    return HANDLED;
  });
}

/** A position in the future begins at the present, so rounding a long number is harmless. */
function toPosition(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** Throws `invalid_header`. */
function lastEventId(req: Request): string | undefined {
  const header = req.get('last-event-id');
  if (header === undefined || header === '') return undefined;
  if (/^[0-9]{1,16}$/.test(header)) return header;
  throw new MarketError('invalid_header', {
    message: 'Last-Event-ID takes the `id` of an event of this stream: a number of at most 16 digits.',
  });
}
