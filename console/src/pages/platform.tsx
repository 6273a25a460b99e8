import { Card, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask, ApiError, type Answer } from '../client/http';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { PlatformState } from '../features/operator/platform-state';
import { Figure, Page } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Status } from '../ui/status';

type Readiness = Answer<'/readiness', 'get'>;
const NAMES: Record<string, string> = {
  postgres: 'Postgres',
  temporal: 'Temporal',
  worker: 'Worker',
  loops: 'Loops of workers',
};

/** The state of each part. While one has failed, the answer has the status 503 and the same content. */
async function readReadiness({ signal }: { signal: AbortSignal }): Promise<Readiness> {
  const response = await ask('get', '/readiness', { signal });
  const body = (await response.json().catch(() => undefined)) as Partial<Readiness> | undefined;
  if (body?.checks) return body as Readiness;
  const message = `The marketplace answered with status ${response.status}.`;
  throw new ApiError(response.status, `http_${response.status}`, message, undefined, [], true);
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
      title="Platform"
      subtitle={
        version.data && `Version ${version.data.version}. Metrics are at the metrics port of each process.`
      }
    >
      <QueryView query={query}>
        {(readiness) => (
          <>
            <Group align="stretch">
              {Object.entries(readiness.checks).map(([name, state]) => (
                <Figure key={name} name={NAMES[name] ?? name}>
                  <Status value={state} label={state === 'ok' ? 'Works' : 'Failed'} />
                </Figure>
              ))}
            </Group>
            {readiness.failing_loops.length > 0 && (
              <Card withBorder>Failing: {readiness.failing_loops.join(', ')}</Card>
            )}
          </>
        )}
      </QueryView>
      {session.data?.role === 'operator' && <PlatformState />}
    </Page>
  );
}
