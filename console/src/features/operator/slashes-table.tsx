import { useInfiniteQuery } from '@tanstack/react-query';
import type { Input } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { formatCredits, shownText } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Slash = ItemOf<'/v1/operator/slashes'>;
type SlashQuery = NonNullable<Input<'/v1/operator/slashes', 'get'>['query']>;

/** What is taken from the bond for good, or for now. */
const takenBy = ({ status, credits }: Slash) => (status === 'overturned' ? 0 : credits);
const refundedBy = ({ calls }: Slash) =>
  calls.reduce((sum, { refunded_credits: credits }) => sum + (credits ?? 0), 0);

const CSV = [
  { title: 'slash', value: (one: Slash) => one.slash_id },
  { title: 'applied', value: (one: Slash) => one.applied_at },
  { title: 'agent', value: (one: Slash) => one.agent_id },
  { title: 'developer', value: (one: Slash) => one.developer_user_id },
  { title: 'state', value: (one: Slash) => one.status },
  { title: 'requested_credits', value: (one: Slash) => one.requested_credits },
  { title: 'taken_credits', value: takenBy },
  { title: 'refunded_credits', value: refundedBy },
  { title: 'goes_to', value: (one: Slash) => (one.refund === 'none' ? 'platform' : 'buyers') },
  { title: 'decided', value: (one: Slash) => one.resolved_at },
  { title: 'decided_by', value: (one: Slash) => one.resolved_by ?? one.resolution },
  { title: 'explanation', value: (one: Slash) => one.explanation },
];

/** Slashes in any state, newest first: what was requested, what was taken, and what became of it. */
export function SlashesTable({ query: filter }: { query: SlashQuery }) {
  const query = useInfiniteQuery(list('/v1/operator/slashes', { query: { limit: 25, ...filter } }));
  return (
    <ListTable<Slash>
      above={
        <ExportButton path="/v1/operator/slashes" input={{ query: filter }} name="slashes" columns={CSV} />
      }
      label="Slashes"
      query={query}
      keyOf={({ slash_id: id }) => id}
      empty={<Empty title="No slashes" />}
      summary={(rows, total) => <Sum rows={rows} total={total} />}
      columns={[
        {
          title: 'Applied',
          cell: (one) => (
            <AppLink to={`/operator/slashes/${one.slash_id}`}>
              <Time at={one.applied_at} />
            </AppLink>
          ),
        },
        { title: 'State', cell: (one) => <Status value={one.status} /> },
        ...(filter.agent_id === undefined
          ? [
              {
                title: 'Agent',
                cell: (one: Slash) => (
                  <AppLink to={`/operator/agents/${one.agent_id}`}>{one.agent_id}</AppLink>
                ),
              },
            ]
          : []),
        { title: 'Goes to', cell: (one) => (one.refund === 'none' ? 'The platform' : 'Buyers') },
        { title: 'Decided', cell: (one) => (one.resolved_at ? <Time at={one.resolved_at} /> : '–') },
        {
          title: 'Requested',
          right: true,
          cell: (one) => <Credits value={one.requested_credits} unit={false} />,
        },
        { title: 'Taken', right: true, cell: (one) => <Credits value={takenBy(one)} unit={false} /> },
        { title: 'Refunded', right: true, cell: (one) => <Credits value={refundedBy(one)} unit={false} /> },
      ]}
    />
  );
}

function Sum({ rows, total }: { rows: readonly Slash[]; total: number | undefined }) {
  const taken = rows.reduce((sum, one) => sum + takenBy(one), 0);
  return (
    <>
      {shownText(rows.length, total)} {rows.length === 1 ? 'slash' : 'slashes'} shown, {formatCredits(taken)}{' '}
      credits taken.
    </>
  );
}
