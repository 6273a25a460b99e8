/**
 * Limits the event streams that follow tasks. They cost nothing but hold a connection, so each account may have a few
 * (ADR 0071). Streams of chats are calls, and are limited as calls in flight.
 */
import type { Request, Response } from 'express';
import { MarketError } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';

const STREAM_METHODS = new Set<unknown>(['SendStreamingMessage', 'SubscribeToTask']);

export interface StreamLimit {
  /** Counts the stream of a request, until its response ends. Throws `concurrency_limited`. */
  enter: (userId: string, req: Request, res: Response) => void;
}

export function createStreamLimit(most: number): StreamLimit {
  const open = new Map<string, number>();
  return {
    enter(userId, req, res) {
      if (!isStream(req)) return;
      const count = open.get(userId) ?? 0;
      if (count >= most) {
        throw new MarketError('concurrency_limited', {
          message: `The account follows tasks by ${most} event streams, the most at a time. End one, or poll the task.`,
          retryAfterSeconds: 5,
        });
      }
      open.set(userId, count + 1);
      res.once('close', () => {
        const left = (open.get(userId) ?? 1) - 1;
        if (left > 0) open.set(userId, left);
        else open.delete(userId);
      });
    },
  };
}

/** Whether a request of either binding asks for a stream. */
function isStream(req: Request): boolean {
  return /:(?:stream|subscribe)$/.test(req.path) || STREAM_METHODS.has(asRecord(req.body)['method']);
}
