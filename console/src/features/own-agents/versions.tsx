import { Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { AppLink } from '../../ui/link';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';
import { DraftActions } from './draft-actions';
import { Written } from '../../ui/written';

/**
 * The versions of an own agent, highest first: each leads to its manifest, and a draft can be submitted or deleted.
 * Read again every `everyMs`.
 */
export function Versions({ id, everyMs }: { id: string; everyMs: number }) {
  const query = useInfiniteQuery({
    ...list('/v1/developer/agents/{agent_id}/versions', { path: { agent_id: id }, query: { limit: 20 } }),
    refetchInterval: everyMs,
  });
  return (
    <Section title="Versions">
      <ListTable<ItemOf<'/v1/developer/agents/{agent_id}/versions'>>
        label="Versions"
        query={query}
        keyOf={({ version }) => version}
        empty={<Empty title="No versions" />}
        columns={[
          {
            title: 'Version',
            cell: (one) => (
              <AppLink to={`/developer/agents/${id}/versions/${one.version}`} fw={600}>
                {one.version}
              </AppLink>
            ),
          },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          { title: 'Submitted', cell: (one) => (one.submitted_at ? <Time at={one.submitted_at} /> : '–') },
          { title: 'Live', cell: (one) => (one.live_at ? <Time at={one.live_at} /> : '–') },
          { title: 'Rejected because', cell: (one) => <Written>{one.reject_reason ?? '–'}</Written> },
          {
            title: '',
            right: true,
            cell: (one) =>
              one.status === 'draft' && (
                <Group gap={6} justify="flex-end" wrap="nowrap">
                  <DraftActions agentId={id} version={one.version} />
                </Group>
              ),
          },
        ]}
      />
    </Section>
  );
}
