/**
 * Counts the event streams of each account and of the process (ADR 0071, ADR 0198). A stream costs little but holds a
 * connection, so each account may have a few, and all of them have a limit.
 */
import type { Response } from 'express';
import { MarketError } from '../../domain/errors';
import { whenClosed } from '../identity/context';

export interface StreamPlaces {
  /** Counts a stream until its response ends. Throws `concurrency_limited`. */
  enter: (userId: string, res: Response) => void;
  /** Throws the same, without counting: a refusal costs least before the body of the request is read. */
  require: (userId: string) => void;
}

/** The most streams of an account and of this process. */
export interface MostStreams {
  EVENT_STREAMS_PER_ACCOUNT: number;
  EVENT_STREAMS: number;
}

/** `refusal`: the message for the stream after those that an account may have. */
export function createStreamPlaces(most: MostStreams, refusal: string): StreamPlaces {
  const open = new Map<string, number>();
  let all = 0;
  const refuse = (message: string): never => {
    throw new MarketError('concurrency_limited', { message, retryAfterSeconds: 5 });
  };
  function require(userId: string): number {
    const count = open.get(userId) ?? 0;
    if (count >= most.EVENT_STREAMS_PER_ACCOUNT) refuse(refusal);
    if (all >= most.EVENT_STREAMS)
      refuse('The service has as many event streams as it can hold. Connect again later.');
    return count;
  }

  return {
    require: (userId) => void require(userId),
    enter(userId, res) {
      open.set(userId, require(userId) + 1);
      all += 1;
      whenClosed(res, () => {
        all -= 1;
        const left = (open.get(userId) ?? 1) - 1;
        if (left > 0) open.set(userId, left);
        else open.delete(userId);
      });
    },
  };
}
