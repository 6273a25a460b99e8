/** A client of the event stream of an account. */
import { serverEvents } from '../../../packages/client/src';

export interface StreamedEvent {
  /** The position; sent as `Last-Event-ID` to resume. */
  id: string;
  body: { id: string; type: string; timestamp: string; data: Record<string, unknown> };
}

export interface AccountStream {
  ready: { complete: boolean };
  /** The position at which the stream begins. */
  readyId: string;
  /** Waits for the next `count` events. */
  next(count: number): Promise<StreamedEvent[]>;
  leave(): Promise<void>;
}

/** Opens a stream and waits until it is ready, so that later events are on it. Throws if it is refused. */
export async function followAccount(
  { url }: { url: string },
  credential: Record<string, string>,
  { lastEventId, query = '' }: { lastEventId?: string; query?: string } = {},
): Promise<AccountStream> {
  const gone = new AbortController();
  const response = await fetch(`${url}/v1/events/stream${query}`, {
    headers: { ...credential, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: gone.signal,
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const frames = serverEvents(response.body);
  const take = async () => {
    const { done, value } = await frames.next();
    if (done) throw new Error('the stream has ended');
    return value;
  };
  const first = await take();
  return {
    ready: JSON.parse(first.data) as AccountStream['ready'],
    readyId: first.id ?? '',
    async next(count) {
      const found: StreamedEvent[] = [];
      while (found.length < count) {
        const { id = '', data } = await take();
        found.push({ id, body: JSON.parse(data) as StreamedEvent['body'] });
      }
      return found;
    },
    leave: () => frames.return(undefined).then(() => gone.abort()),
  };
}
