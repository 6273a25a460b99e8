import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get } from '../../client/queries';
import { DataTable } from '../../ui/data-table';
import { Section } from '../../ui/page';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Worker = Answer<'/v1/operator/platform', 'get'>['workers'][number];

/** The worker processes of the last hour, and when each was seen last. */
export function WorkerList() {
  const { data } = useQuery({ ...get('/v1/operator/platform'), refetchInterval: 5_000 });
  if (!data || data.workers.length === 0) return null;
  return (
    <Section title="Workers" note="Each reports every five seconds. A silent one is frozen, or was killed.">
      <Card withBorder padding={0} className="table-card">
        <DataTable<Worker>
          label="Workers"
          rows={data.workers}
          keyOf={(one) => one.worker}
          columns={[
            { title: 'Worker', cell: (one) => one.worker },
            {
              title: 'State',
              cell: (one) => (
                <Status value={one.alive ? 'ok' : 'failed'} label={one.alive ? 'Reports' : 'Silent'} />
              ),
            },
            { title: 'Last seen', cell: (one) => <Time at={one.last_seen_at} ago /> },
            {
              title: 'Failing',
              cell: (one) => (one.alive ? one.failing_loops.join(', ') || 'Nothing' : 'Not known'),
            },
          ]}
        />
      </Card>
    </Section>
  );
}
