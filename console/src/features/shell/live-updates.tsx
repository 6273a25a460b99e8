import { useEffect } from 'react';
import { useQuery } from '@tanstack/react-query';
import { ownerIdOf } from '../../client/owner';
import { queryClient } from '../../client/queries';
import { readSince } from '../../client/read-since';
import { sessionQuery } from '../../client/session';

const STREAM = '/v1/events/stream';

/** The queries that an event changes, by the first word of its type: how the paths of their operations begin. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  invocation: [
    '/v1/invocations',
    '/v1/billing',
    '/v1/agents/{agent_id}/analytics',
    '/v1/developer/agents/{agent_id}/calls',
  ],
  dispute: ['/v1/invocations', '/v1/billing'],
  agent: ['/v1/developer/agents', '/v1/agents', '/v1/listings'],
  finding: ['/v1/developer/agents', '/v1/agents'],
  trust_score: ['/v1/developer/agents', '/v1/agents', '/v1/listings'],
  bond: ['/v1/billing'],
  slash: ['/v1/billing'],
  payout: ['/v1/billing'],
  credits: ['/v1/billing'],
};
/** Most events make a notice. */
const NOTICES = '/v1/notices';
const DELIVERIES = '/v1/webhooks/{webhook_id}/deliveries';
/** Events that come together lead to one reading; a busy account reads again after this time at the earliest. */
const TOGETHER_MS = 300;
const AT_MOST_EVERY_MS = 3_000;
/** The pause after a refusal, such as the end of the session. Lost connections are the browser's to repeat. */
const REFUSED_PAUSE_MS = 30_000;

/** A page that was opened in the background longer ago reads again, instead of each event since. */
const LONGEST_BEGINNING_MS = 60_000;
/** How much the clocks of the API and of Postgres may differ. */
const CLOCKS_DIFFER_MS = 1_000;

/** The position in the stream at which the page began to read: in microseconds (ADR 0120). */
function firstPosition(): string | undefined {
  const since = readSince(LONGEST_BEGINNING_MS);
  return since === undefined ? undefined : String(Math.floor((since - CLOCKS_DIFFER_MS) * 1_000));
}

/**
 * Reads again what an event of the account has changed, as it happens. The stream is open while the page can be seen,
 * because a browser has few connections to one server. The lists also read themselves from time to time.
 */
export function LiveUpdates() {
  const profile = useQuery(sessionQuery).data;
  const ownerId = profile ? ownerIdOf(profile) : undefined;
  useEffect(() => (ownerId === undefined ? undefined : followWhileVisible(createReader())), [ownerId]);
  return null;
}

interface Reader {
  /** Reads the queries of an event again, soon. */
  note(type: string): void;
  stop(): void;
}

function createReader(): Reader {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = -AT_MOST_EVERY_MS;

  function read(): void {
    const paths = [...changed];
    changed.clear();
    timer = undefined;
    lastAt = performance.now();
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        typeof path === 'string' && paths.some((begin) => path.startsWith(begin)),
    });
  }

  return {
    note(type) {
      for (const path of CHANGED[type.split('.')[0] ?? ''] ?? []) changed.add(path);
      changed.add(NOTICES);
      changed.add(DELIVERIES); // every event is delivered to the webhooks that want it
      timer ??= setTimeout(read, Math.max(TOGETHER_MS, lastAt + AT_MOST_EVERY_MS - performance.now()));
    },
    stop: () => clearTimeout(timer),
  };
}

function followWhileVisible(reader: Reader): () => void {
  let source: EventSource | undefined;
  let wasOpen = false;
  let pause: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    source?.close();
    clearTimeout(pause);
    if (document.visibilityState !== 'visible') return;
    // The first stream begins where the page began to read, a later one at the present. The browser resumes a lost
    // connection by itself.
    const after = wasOpen ? undefined : firstPosition();
    source = new EventSource(after === undefined ? STREAM : `${STREAM}?after=${after}`);
    let mayHaveMissed = after === undefined;
    wasOpen = true;
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      reader.note((JSON.parse(data) as { type: string }).type),
    );
    source.addEventListener('ready', ({ data }: MessageEvent<string>) => {
      const { complete } = JSON.parse(data) as { complete: boolean };
      if (!complete || mayHaveMissed) void queryClient.invalidateQueries();
      mayHaveMissed = false;
    });
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) pause = setTimeout(open, REFUSED_PAUSE_MS);
    });
  }

  open();
  document.addEventListener('visibilitychange', open);
  return () => {
    document.removeEventListener('visibilitychange', open);
    clearTimeout(pause);
    reader.stop();
    source?.close();
  };
}
