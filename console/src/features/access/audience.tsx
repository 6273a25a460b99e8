import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { FormModal } from '../../ui/form-modal';
import { Id } from '../../ui/id';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';

type Member = ItemOf<'/v1/developer/agents/{agent_id}/audience'>;

const TYPED_MS = 250;
/** A search is of use beyond so many accounts. */
const FEW = 10;

/** The accounts that see an agent while it is private: found by a part of their ids, added and removed. */
export function Audience({ agentId, count }: { agentId: string; count: number }) {
  const [text, setText] = useState('');
  const [part] = useDebouncedValue(text.trim(), TYPED_MS);
  const query = useInfiniteQuery(
    list('/v1/developer/agents/{agent_id}/audience', {
      path: { agent_id: agentId },
      query: { limit: 25, ...(part !== '' && { q: part }) },
    }),
  );
  return (
    <>
      <Group justify="space-between" align="flex-end">
        {count > FEW ? (
          <TextInput
            label="Find an account"
            description="By a part of its id"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            maxLength={100}
          />
        ) : (
          <Text fz="sm" fw={600}>
            Accounts that see it while it is private
          </Text>
        )}
        <AddAccounts agentId={agentId} />
      </Group>
      <ListTable<Member>
        label="Accounts that see the agent"
        query={query}
        keyOf={({ account_id: id }) => id}
        summary={(rows, total) => `${rows.length} of ${total ?? rows.length} accounts shown.`}
        empty={
          <Empty title={part === '' ? 'Only you' : 'No account has this in its id'}>
            {part === ''
              ? 'Add accounts by their ids, or make a link by which they ask.'
              : 'Ids begin with usr_, org_ or dev_.'}
          </Empty>
        }
        columns={[
          { title: 'Account', cell: ({ account_id: id }) => <Id value={id} short={id.startsWith('usr_')} /> },
          { title: 'Added', cell: ({ added_at: at }) => <Time at={at} /> },
          {
            title: '',
            right: true,
            cell: ({ account_id: id }) => <Remove agentId={agentId} accountId={id} />,
          },
        ]}
      />
    </>
  );
}

function Remove({ agentId, accountId }: { agentId: string; accountId: string }) {
  return (
    <Ask
      action="Remove"
      aria-label={`Remove ${accountId}`}
      danger
      question={`${accountId} no longer sees the agent while it is private. Its calls that run go on.`}
      done="The account is removed."
      run={() =>
        send('delete', '/v1/developer/agents/{agent_id}/audience/{account_id}', {
          path: { agent_id: agentId, account_id: accountId },
        })
      }
    />
  );
}

function AddAccounts({ agentId }: { agentId: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [text, setText] = useState('');
  const accounts = [...new Set(text.split(/[\s,;]+/).filter((id) => id !== ''))];
  const add = useMutation({
    mutationFn: () =>
      send('post', '/v1/developer/agents/{agent_id}/audience', {
        path: { agent_id: agentId },
        body: { accounts },
      }),
    onSuccess: () => {
      notifications.show({ message: 'They see the agent now.', color: 'green' });
      setText('');
      close();
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Add accounts
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Add accounts"
        action="Add"
        mutation={add}
        disabled={accounts.length === 0}
      >
        <Textarea
          label="Ids"
          description="Of accounts (usr_…), organisations (org_…) or developers (dev_…), one on a line. All of them are added, or none."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          required
          autosize
          minRows={3}
          maxRows={12}
          data-autofocus
        />
      </FormModal>
    </>
  );
}
