import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AppLink } from '../ui/link';
import { ask, ApiError, type Answer } from '../client/http';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { WorkerList } from '../features/operator/worker-list';
import { PlatformState } from '../features/operator/platform-state';
import { Figure, Page } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

type Readiness = Answer<'/readiness', 'get'>;
const NAMES: Record<string, string> = {
  postgres: 'Postgres',
  temporal: 'Temporal',
  worker: 'Worker',
  loops: 'Work in the background',
};

/** The state of each part. While one has failed, the answer has the status 503 and the same content. */
async function readReadiness({ signal }: { signal: AbortSignal }): Promise<Readiness> {
  const response = await ask('get', '/readiness', { signal });
  const body = (await response.json().catch(() => undefined)) as Partial<Readiness> | undefined;
  if (body?.checks) return body as Readiness;
  const message = `The marketplace answered with status ${response.status}.`;
  throw new ApiError(response.status, `http_${response.status}`, message, undefined, [], true);
}

/** What stands below the state of a part. */
function noteOf(name: string, { workers, failing_loops: failing }: Readiness): ReactNode {
  if (name === 'worker')
    return (
      <>
        {workers.reporting} of {workers.reporting + workers.silent} report
        {workers.last_seen_at !== null && (
          <>
            , last seen <Time at={workers.last_seen_at} ago />
          </>
        )}
      </>
    );
  return name === 'loops' && failing.length > 0 ? failing.join(', ') : undefined;
}

/** The health of each part, every five seconds. */
export function PlatformPage() {
  const session = useQuery(sessionQuery);
  const version = useQuery(get('/health'));
  const query = useQuery({
    queryKey: ['readiness'],
    queryFn: readReadiness,
    refetchInterval: 5_000,
  });
  return (
    <Page
      title="Health"
      subtitle={
        <>
          {version.data && `Version ${version.data.version}. `}
          <AppLink to="/status">What everyone sees, with its history</AppLink>
        </>
      }
    >
      <QueryView query={query}>
        {(readiness) => (
          <>
            <Group align="stretch">
              {Object.entries(readiness.checks).map(([name, state]) => (
                <Figure key={name} name={NAMES[name] ?? name} note={noteOf(name, readiness)}>
                  <Status value={state} label={state === 'ok' ? 'Works' : 'Failed'} />
                </Figure>
              ))}
            </Group>
          </>
        )}
      </QueryView>
      {session.data?.role === 'operator' && (
        <>
          <WorkerList />
          <PlatformState />
        </>
      )}
    </Page>
  );
}
