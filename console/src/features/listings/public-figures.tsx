import { Card } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty, Waiting } from '../../ui/states';
import { FiguresOverTime } from '../charts/over-time';

/** Success rate and latency of an agent's paid calls over 30 days, for everyone. */
export function PublicFigures({ agentId }: { agentId: string }) {
  const query = useQuery(get('/v1/agents/{agent_id}/figures', { path: { agent_id: agentId } }));
  const waiting = <Waiting lines={1} height={200} />;
  return (
    <Section
      title="The last 30 days"
      note="Paid calls of buyers who are not related to the developer. Below ten buyers there is no rate."
    >
      <Card withBorder>
        <QueryView query={query} waiting={waiting}>
          {({ days }) =>
            days.some(({ calls }) => calls > 0) ? (
              <FiguresOverTime days={days} />
            ) : (
              <Empty title="No paid calls yet">
                Success rate and latency appear after the first paid call.
              </Empty>
            )
          }
        </QueryView>
      </Card>
    </Section>
  );
}
