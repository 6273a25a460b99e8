import { Anchor, Card, Chip, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Answer } from '../../client/http';
import { organisationName } from '../../client/owner';
import { get } from '../../client/queries';
import { sessionQuery } from '../../client/session';
import { DataTable } from '../../ui/data-table';
import { DateField } from '../../ui/date-field';
import { formatWhole } from '../../ui/format';
import { AppLink } from '../../ui/link';
import { Credits } from '../../ui/money';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Empty } from '../../ui/states';
import { Day } from '../../ui/time';
import { Written } from '../../ui/written';
import { monthsOf } from './months';

type SpendGroup = NonNullable<Answer<'/v1/billing/spend', 'get'>['groups']>[number];

const PARTS = [
  { value: 'day', label: 'Day' },
  { value: 'agent', label: 'Agent' },
  { value: 'key', label: 'Key' },
  { value: 'tag', label: 'Tag' },
];
const MEMBER = { value: 'member', label: 'Member' };
const TAG = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}(=.{1,100})?$/;

/** What calls cost by any of day, agent, key, tag and member, in a time, as a table and as a file. */
export function SpendGroups() {
  const isOfMembers = organisationName(useQuery(sessionQuery).data) !== undefined;
  const offered = isOfMembers ? [...PARTS, MEMBER] : PARTS;
  const [parts, setParts] = useState(['tag']);
  const [from, setFrom] = useState(monthsOf(new Date()).current.slice(0, 10));
  const [to, setTo] = useState('');
  const [tag, setTag] = useState('');
  const query = {
    group_by: parts.join(','),
    ...(from !== '' && { since: `${from}T00:00:00Z` }),
    ...(to !== '' && { until: `${to}T00:00:00Z` }),
    ...(TAG.test(tag) && { tag }),
  };
  const spend = useQuery({ ...get('/v1/billing/spend', { query }), enabled: parts.length > 0 });
  return (
    <Section
      title={isOfMembers ? 'By any of day, agent, key, tag and member' : 'By any of day, agent, key and tag'}
      actions={
        <Anchor href={`/v1/billing/spend.csv?${new URLSearchParams(query)}`} download fz="sm">
          Download as CSV
        </Anchor>
      }
    >
      <Stack gap="sm">
        <Group gap="sm" align="flex-end">
          <Chip.Group multiple value={parts} onChange={(value) => setParts(value.length > 0 ? value : parts)}>
            <Group gap={6} role="group" aria-label="Sum by">
              {offered.map(({ value, label }) => (
                <Chip key={value} value={value} size="sm">
                  {label}
                </Chip>
              ))}
            </Group>
          </Chip.Group>
          <DateField label="From (UTC)" value={from} onChange={setFrom} />
          <DateField label="To (UTC)" value={to} onChange={setTo} />
          <TextInput
            label="Only the tag"
            placeholder="project=atlas"
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
            w={200}
          />
        </Group>
        <QueryView query={spend}>
          {({ groups = [] }) =>
            groups.length === 0 ? (
              <Empty title="No charged calls">
                {parts.includes('tag')
                  ? 'A call has tags if it was made with metadata, such as project=atlas.'
                  : 'What calls cost in this time appears here.'}
              </Empty>
            ) : (
              <Card withBorder padding={0} className="table-card">
                <DataTable<SpendGroup>
                  label="Spending"
                  rows={groups}
                  keyOf={(group) =>
                    JSON.stringify([group.date, group.agent_id, group.key_id, group.tag, group.member_id])
                  }
                  columns={[
                    ...offered
                      .filter(({ value }) => parts.includes(value))
                      .map(({ value, label }) => ({
                        title: label,
                        cell: (group: SpendGroup) => <Part of={group} part={value} />,
                      })),
                    { title: 'Calls', right: true, cell: ({ calls }) => formatWhole(calls) },
                    {
                      title: 'Credits',
                      right: true,
                      cell: ({ credits }) => <Credits value={credits} unit={false} />,
                    },
                  ]}
                />
              </Card>
            )
          }
        </QueryView>
      </Stack>
    </Section>
  );
}

/** The cell of one part, with a link to its calls. */
function Part({ of: group, part }: { of: SpendGroup; part: string }) {
  if (part === 'day') return group.date === undefined ? null : <Day date={group.date} />;
  if (part === 'agent')
    return (
      <AppLink to="/calls" search={{ agent: group.agent_id ?? '' }}>
        <Written>{group.display_name ?? group.agent_id ?? ''}</Written>
      </AppLink>
    );
  if (part === 'tag') {
    const tag = group.tag === undefined ? '' : [group.tag.name, group.tag.value].join('=');
    return (
      <AppLink to="/calls" search={{ tag }}>
        <Written>{tag}</Written>
      </AppLink>
    );
  }
  if (part === 'member')
    return group.member_id ? <Written>{group.member_name ?? group.member_id}</Written> : 'Without a member';
  if (!group.key_id) return 'Without a key';
  return (
    <AppLink to="/calls" search={{ key: group.key_id }}>
      <Written>{group.key_name ?? group.key_id}</Written>
    </AppLink>
  );
}
