import type { Request } from 'express';
import { receiveCallback, receiveTaskNotification } from '../../contract/callbacks';
import { MarketError } from '../../domain/errors';
import type { JobEngine } from '../../engine/jobs';
import { inLane } from '../../kit/concurrency/lanes';
import { createRestingTurns } from '../../kit/concurrency/resting-turns';
import type { ReceivedHeaders } from '../../kit/crypto/webhook-signature';
import type { RateLimits } from '../../services/accounts/rate-limits';
import type { Callback, JobCallbacks } from '../../services/jobs/job-callbacks';
import type { RouteBinder } from '../binding/route';
import { isJsonUtf8 } from '../bodies/body';
import { contextOf } from '../identity/context';
import { countForDeveloper } from '../requests/callback-limits';

/** How many developers call back at a time, and the longest rest behind a callback. */
const CALLING_BACK = 4;
const MOST_REST_MS = 250;
/** How long a callback waits for its turn, and how many of a developer may wait. */
const PATIENCE_MS = 15_000;
const MOST_WAITING = 500;

export interface CallbackRouteDeps {
  jobCallbacks: JobCallbacks;
  rateLimits: Pick<RateLimits, 'consume'>;
  jobEngine: Pick<JobEngine, 'wake'>;
}

/** What agents report about their jobs (ADR 0305). The limit of the call was counted before (`request-limits.ts`). */
export function callbackRoutes(binder: RouteBinder, deps: CallbackRouteDeps): void {
  const { jobCallbacks, jobEngine } = deps;

  /** The flood of a developer costs no query: who the developer is was read with the first callback of the call. */
  const countFor = (developerUserId: string | undefined) => {
    if (developerUserId !== undefined) countForDeveloper(deps.rateLimits, developerUserId);
  };

  // Callbacks that come by the hundred leave the processor to calls (ADR 0245). Their bytes count while they wait.
  const turns = createRestingTurns({
    slots: CALLING_BACK,
    restMs: (tookMs) => Math.min(tookMs, MOST_REST_MS),
    patienceMs: PATIENCE_MS,
    mostWaiting: MOST_WAITING,
    late: crowded,
  });

  binder.bind(receiveCallback, async ({ params, req, readBytes, perform }) => {
    const { invocation_id: invocationId } = params;
    const context = contextOf(req);
    if (context.callbackOf !== invocationId) throw new MarketError('not_found');
    const known = jobCallbacks.developerOf(invocationId);
    countFor(known);
    const { developerUserId, secrets } = await jobCallbacks.senderOf(invocationId);
    if (known === undefined) countFor(developerUserId);
    if (!isJsonUtf8(req.get('content-type'))) throw new MarketError('unsupported_media_type');
    context.payer = `account/${developerUserId}`;
    const { isNews, questionId } = await inLane(context.payer, async () => {
      const headers = receivedHeaders(req);
      const webhookId = headers['webhook-id'] ?? '';
      const receive = async (bytes: Buffer) => {
        const callback = await perform<Callback>({ kind: 'callback', secrets, headers }, bytes);
        return jobCallbacks.receive(invocationId, { ...callback, webhookId });
      };
      return readBytes((bytes) => turns.run(developerUserId, () => receive(bytes))).catch(
        async (error: unknown) => {
          if (error instanceof MarketError && error.code === 'invalid_credentials')
            await jobCallbacks.refused(invocationId);
          throw error;
        },
      );
    });
    if (isNews) void jobEngine.wake(invocationId, developerUserId);
    return { status: 'accepted' as const, ...(questionId !== undefined && { question_id: questionId }) };
  });

  // The body of a notification proves nothing, so it is discarded, and the agent is asked (ADR 0362).
  binder.bind(receiveTaskNotification, async ({ params, req, readBytes }) => {
    const { invocation_id: invocationId } = params;
    const context = contextOf(req);
    if (context.callbackOf !== invocationId) throw new MarketError('not_found');
    if (!jobCallbacks.isNotification(invocationId, req.get('x-a2a-notification-token') ?? ''))
      throw new MarketError('invalid_credentials', { message: NOT_ITS_TOKEN });
    const known = jobCallbacks.developerOf(invocationId);
    countFor(known);
    await readBytes(() => undefined);
    const { developerUserId, isJob } = await jobCallbacks.notified(invocationId);
    if (known === undefined) countFor(developerUserId);
    if (isJob) void jobEngine.wake(invocationId, developerUserId);
    return { status: 'accepted' as const };
  });
}

const NOT_ITS_TOKEN =
  'X-A2A-Notification-Token is not the token that came with this address in the configuration of the message.';

function crowded(): MarketError {
  return new MarketError('rate_limited', {
    message: 'Too many callbacks of this developer wait. Repeat the callback.',
    retryAfterSeconds: 5,
  });
}

function receivedHeaders(req: Request): ReceivedHeaders {
  return {
    'webhook-id': req.get('webhook-id'),
    'webhook-timestamp': req.get('webhook-timestamp'),
    'webhook-signature': req.get('webhook-signature'),
  };
}
