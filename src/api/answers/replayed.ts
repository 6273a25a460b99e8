import { Answer } from '../answers/answer';

/** Says that a response belongs to an earlier request with the same idempotency key. */
export const REPLAYED_HEADERS = { 'Idempotent-Replayed': 'true' } as const;

/** The response to a request that may repeat an earlier one. */
export function replayable<R>(body: R, replayed: boolean, status?: number): Answer<R> {
  return new Answer(body, {
    ...(status !== undefined && { status }),
    ...(replayed && { headers: REPLAYED_HEADERS }),
  });
}
