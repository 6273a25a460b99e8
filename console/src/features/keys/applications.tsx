import { Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { list, type ItemOf } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { ListTable } from '../../ui/data-table';
import { Empty } from '../../ui/states';
import { Time } from '../../ui/time';
import { ChangeGrant } from './change-grant';
import { GrantAgents, Small } from './grant-agents';
import { type CreatedProgram, NewProgram, programSnippet } from './new-program';
import { RotateProgram } from './rotate-program';
import { NewSecret } from './new-secret';
import { SpendOf } from './spend';
import { isolated } from '../../ui/isolated';
import { scopeWords } from './scopes';

type Grant = ItemOf<'/v1/oauth/grants'>;

/** Applications that the account has permitted to call agents by OAuth, and its programs (docs/oauth.md). */
export function Applications() {
  const [program, setProgram] = useState<CreatedProgram>();
  const query = useInfiniteQuery(list('/v1/oauth/grants', { query: { limit: 50 } }));
  return (
    <Stack gap="sm" mt="xl">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} fz="lg">
            Connected applications
          </Title>
          <Text c="dimmed" fz="sm">
            An application that you connected by its login page calls one agent, or all agents of the market,
            within its limits. So does a program, which gets its tokens by a secret.
          </Text>
        </div>
        <NewProgram onCreated={setProgram} />
      </Group>
      {program && (
        <NewSecret
          secret={program.client_secret}
          title={`Copy the secret of ${program.client_id} now`}
          what="secret"
          snippet={programSnippet(program, location.origin)}
        />
      )}
      <ListTable<Grant>
        label="Connected applications"
        query={query}
        keyOf={({ grant_id: id }) => id}
        empty={
          <Empty title="No connected applications">
            Enter the MCP address of the market or of an agent in Claude, ChatGPT or another application to
            connect it.
          </Empty>
        }
        columns={[
          { title: 'Application', cell: (grant) => <Name grant={grant} /> },
          { title: 'Agent', cell: (grant) => <GrantAgents grant={grant} /> },
          { title: 'May', cell: ({ scopes }) => <Small text={scopeWords(scopes)} /> },
          {
            title: 'Spent',
            right: true,
            cell: (grant) => <SpendOf of={grant} />,
          },
          {
            title: 'Last used',
            cell: ({ last_used_at: at }) => (at ? <Time at={at} ago /> : 'Never'),
          },
          { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
          { title: '', right: true, cell: (grant) => <Actions grant={grant} onRotated={setProgram} /> },
        ]}
      />
    </Stack>
  );
}

/**
 * What the application calls itself, and the host that its tokens are sent to, which it cannot choose freely; of a
 * program, its client id.
 */
function Name({ grant: { kind, client_id: id, client_name: name, redirect_host: host } }: { grant: Grant }) {
  return (
    <Stack gap={0}>
      <Text fw={600} fz="sm" dir="auto">
        {name}
      </Text>
      <Small text={kind === 'program' ? id : host} />
    </Stack>
  );
}

interface ActionsProps {
  grant: Grant;
  onRotated: (program: CreatedProgram) => void;
}

function Actions({ grant, onRotated }: ActionsProps) {
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      {grant.kind === 'program' && <RotateProgram grant={grant} onRotated={onRotated} />}
      {grant.agent_id === '*' && <ChangeGrant grant={grant} />}
      <Disconnect grant={grant} />
    </Group>
  );
}

function Disconnect({ grant: { grant_id: id, client_name: name } }: { grant: Grant }) {
  return (
    <Ask
      action="Disconnect"
      danger
      question={`"${isolated(name)}" is refused from its next request on. Calls in progress are not affected.`}
      done="The application is disconnected."
      run={() => send('delete', '/v1/oauth/grants/{grant_id}', { path: { grant_id: id } })}
    />
  );
}
