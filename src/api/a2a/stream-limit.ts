/**
 * Limits the event streams that follow tasks (ADR 0071). Streams of chats are calls, and are limited as calls in
 * flight.
 */
import type { Request, Response } from 'express';
import { asRecord } from '../../domain/json-value';
import type { StreamCredentials } from '../identity/stream-credentials';
import { createStreamPlaces, type MostStreams } from '../requests/stream-places';
import { whenClosed } from '../identity/context';
import { LEGACY_STREAMS } from './legacy-form';

const STREAM_PATH = /:(?:stream|subscribe)$/;
const STREAM_METHODS = new Set<unknown>(['SendStreamingMessage', 'SubscribeToTask', ...LEGACY_STREAMS]);

export interface StreamLimit {
  /** Counts the stream of a request, until its response ends. Throws `concurrency_limited`. */
  enter: (userId: string, req: Request, res: Response) => void;
  /** Throws the same before the body is read, if the path alone asks for a stream. */
  require: (userId: string, req: Request) => void;
}

/** A stream whose credential is no longer valid is cut off. */
export function createStreamLimit(config: MostStreams, credentials: StreamCredentials): StreamLimit {
  const places = createStreamPlaces(
    config,
    `The account follows tasks by ${config.EVENT_STREAMS_PER_ACCOUNT} event streams, the most at a time. End one, or poll the task.`,
  );
  return {
    require(userId, req) {
      if (STREAM_PATH.test(req.path)) places.require(userId);
    },
    enter(userId, req, res) {
      if (!isStream(req)) return;
      places.enter(userId, res);
      whenClosed(
        res,
        credentials.watch(req, () => res.destroy()),
      );
    },
  };
}

/** Whether a request of either binding asks for a stream. */
function isStream(req: Request): boolean {
  return STREAM_PATH.test(req.path) || STREAM_METHODS.has(asRecord(req.body)['method']);
}
