import { Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { list, type ItemOf } from '../../client/queries';
import { ListTable } from '../../ui/data-table';
import { ExportButton } from '../../ui/export-button';
import { Id } from '../../ui/id';
import { AppLink } from '../../ui/link';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { pageOfId } from '../shell/find-anything';
import type { AuditQuery } from './audit-filters';
import { auditName } from './audit-names';

type Action = ItemOf<'/v1/operator/actions'>;

const CSV = [
  { title: 'time', value: (one: Action) => one.created_at },
  { title: 'action', value: (one: Action) => one.action },
  { title: 'subject', value: (one: Action) => one.subject },
  { title: 'operator', value: (one: Action) => one.operator_user_id },
  { title: 'operator_name', value: (one: Action) => one.operator_name },
  { title: 'operator_email', value: (one: Action) => one.operator_email },
  { title: 'run_by', value: (one: Action) => one.run_by },
  { title: 'reason', value: (one: Action) => one.reason },
  { title: 'details', value: (one: Action) => JSON.stringify(one.details) },
  { title: 'trace', value: (one: Action) => one.trace_id },
];

interface AuditLogProps {
  subject?: string;
  query?: AuditQuery;
  /** Filters, beside the button that downloads the list. */
  children?: ReactNode;
}

/** What operators and the service have done, and why; of one subject or of all. */
export function AuditLog({ subject, query: filter = {}, children }: AuditLogProps) {
  const wanted = { ...filter, ...(subject === undefined ? {} : { subject }) };
  const query = useInfiniteQuery(list('/v1/operator/actions', { query: { limit: 25, ...wanted } }));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <Group justify={children ? undefined : 'flex-end'} align="flex-end" gap="sm">
        {children}
        <ExportButton path="/v1/operator/actions" input={{ query: wanted }} name="audit-log" columns={CSV} />
      </Group>
      <ListTable<Action>
        label="Audit log"
        query={query}
        keyOf={({ action_id: id }) => id}
        empty={
          isFiltered ? (
            <Empty title="No entry matches" />
          ) : (
            <Empty title="No entries yet">Each action of an operator appears here with its reason.</Empty>
          )
        }
        columns={[
          { title: 'Time', cell: (one) => <Time at={one.created_at} /> },
          { title: 'Action', cell: (one) => <b title={one.action}>{auditName(one.action)}</b> },
          ...(subject === undefined ? [{ title: 'Subject', cell: Subject }] : []),
          { title: 'By', cell: By },
          {
            title: 'Reason',
            cell: (one) => (
              <Text fz="sm" className="anywhere" dir="auto">
                {one.reason}
              </Text>
            ),
          },
        ]}
      />
    </>
  );
}

function Subject({ subject }: Action): ReactNode {
  const to = pageOfId(subject, 'operator')?.to;
  return (
    <Group gap={6} wrap="nowrap">
      {to && (
        <AppLink to={to} className="nowrap">
          Open
        </AppLink>
      )}
      <Id value={subject} />
    </Group>
  );
}

/** The operator by name and address, or the person who ran a command. */
function By({ operator_user_id: id, operator_name: name, operator_email: email, run_by: runBy }: Action) {
  if (id === null) return <span className="anywhere">{runBy ?? '–'}</span>;
  return (
    <>
      <AppLink to={`/operator/accounts/${id}`}>
        <bdi className="anywhere">{name ?? id}</bdi>
      </AppLink>
      <Text fz="xs" c="dimmed" className="anywhere">
        {email}
      </Text>
    </>
  );
}
