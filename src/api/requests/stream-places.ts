/**
 * Counts the event streams of each account (ADR 0071). A stream costs nothing but holds a connection, so each account may
 * have a few.
 */
import type { Response } from 'express';
import { MarketError } from '../../domain/errors';
import { whenClosed } from './when-closed';

export interface StreamPlaces {
  /** Counts a stream until its response ends. Throws `concurrency_limited`. */
  enter: (userId: string, res: Response) => void;
  /** Throws the same, without counting: a refusal costs least before the body of the request is read. */
  require: (userId: string) => void;
}

/** `refusal`: the message for the stream after the `most` that an account may have. */
export function createStreamPlaces(most: number, refusal: string): StreamPlaces {
  const open = new Map<string, number>();
  function require(userId: string): number {
    const count = open.get(userId) ?? 0;
    if (count < most) return count;
    throw new MarketError('concurrency_limited', { message: refusal, retryAfterSeconds: 5 });
  }

  return {
    require: (userId) => void require(userId),
    enter(userId, res) {
      open.set(userId, require(userId) + 1);
      whenClosed(res, () => {
        const left = (open.get(userId) ?? 1) - 1;
        if (left > 0) open.set(userId, left);
        else open.delete(userId);
      });
    },
  };
}
