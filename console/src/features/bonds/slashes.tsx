import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Slash = ItemOf<'/v1/billing/developer/slashes'>;

/** The slashes of a developer's bond, newest first. Each leads to its evidence and the form of the answer. */
export function Slashes() {
  const query = useInfiniteQuery(list('/v1/billing/developer/slashes', { query: { limit: 25 } }));
  return (
    <Section
      title="Slashes"
      note="You have seven days to answer a slash. Without an answer it becomes final."
    >
      <ListTable<Slash>
        label="Slashes"
        query={query}
        keyOf={({ slash_id: id }) => id}
        empty={<Empty title="No slashes">An operator slashes a bond for proven harm to buyers.</Empty>}
        columns={[
          {
            title: 'Applied',
            cell: (one) => (
              <AppLink to={`/developer/slashes/${one.slash_id}`}>
                <Time at={one.applied_at} />
              </AppLink>
            ),
          },
          { title: 'Agent', cell: (one) => one.agent_id },
          { title: 'State', cell: (one) => <Status value={one.status} /> },
          {
            title: 'Because',
            cell: (one) => (
              <Text fz="sm" className="clamp" dir="auto">
                {one.explanation}
              </Text>
            ),
          },
          {
            title: 'Answer by',
            cell: (one) => (one.status === 'applied' ? <Time at={one.counter_by} ago /> : '–'),
          },
          { title: 'Credits', right: true, cell: (one) => <SlashCredits slash={one} /> },
        ]}
      />
    </Section>
  );
}

/** What the bond lost, and what the operator requested, if that is more. */
export function SlashCredits({
  slash: { status, credits, requested_credits: requested },
}: {
  slash: Pick<Slash, 'status' | 'credits' | 'requested_credits'>;
}) {
  return (
    <span>
      <Credits value={credits} />{' '}
      <Text span fz="sm" c="dimmed" className="nowrap">
        {status === 'overturned' ? 'given back' : 'taken'}
        {requested !== credits && (
          <>
            , <Credits value={requested} unit={false} /> requested
          </>
        )}
      </Text>
    </span>
  );
}
