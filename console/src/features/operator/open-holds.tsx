import { Card } from '@mantine/core';
import type { Answer } from '../../client/http';
import { DataTable } from '../../ui/data-table';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';

type Platform = Answer<'/v1/operator/platform', 'get'>;

/** Credits that are held for calls, those whose time ends first. */
export function OpenHolds({ holds }: { holds: Platform['open_holds'] }) {
  return (
    <Card withBorder padding={0} className="table-card">
      {holds.length === 0 ? (
        <Empty title="No open holds">Every call has ended.</Empty>
      ) : (
        <DataTable<Platform['open_holds'][number]>
          label="Open holds"
          rows={holds}
          keyOf={(one) => one.invocation_id}
          columns={[
            {
              title: 'Held',
              cell: (one) => (
                <AppLink to={`/operator/calls/${one.invocation_id}`}>
                  <Time at={one.held_at} ago />
                </AppLink>
              ),
            },
            { title: 'Call', cell: (one) => <Id value={one.invocation_id} /> },
            { title: 'Agent', cell: (one) => one.agent_id },
            { title: 'Waits for', cell: (one) => <Wait job={one.job} /> },
            { title: 'Lease until', cell: (one) => <Time at={one.lease_until} ago /> },
            { title: 'Credits', right: true, cell: (one) => <Credits value={one.credits} unit={false} /> },
          ]}
        />
      )}
    </Card>
  );
}

function Wait({ job }: { job: Platform['open_holds'][number]['job'] }) {
  if (!job) return 'its answer';
  if (job.waits_for === 'settlement') return 'the settlement of its job';
  if (job.waits_for === 'buyer') return 'the answer of the buyer to a question of its job';
  return (
    <>
      its job, last heard <Time at={job.heard_at} ago />
    </>
  );
}
