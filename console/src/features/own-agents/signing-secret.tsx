import { Alert, Button, Card, Group, Select, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { FormModal } from '../../ui/form-modal';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { Time } from '../../ui/time';

interface SigningSecretProps {
  agentId: string;
  secret: string;
  /** Until when the secret before signs too; null if none does. */
  previousUntil: string | null;
}

/** The secret by which the agent knows that a call is from the marketplace: hidden until it is asked for. */
export function SigningSecret({ agentId, secret, previousUntil }: SigningSecretProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Section
      title="Signing secret"
      note="The marketplace signs each call with it, so that your agent can refuse calls of others. Give it to the agent as MARKET_SIGNING_SECRET, and to nobody else."
    >
      <Card withBorder>
        <Stack gap="sm">
          {isShown ? (
            <CodeBlock text={`MARKET_SIGNING_SECRET=${secret}`} label="signing secret" />
          ) : (
            <Text ff="monospace" fz="sm">
              {secret.slice(0, 6)}••••••••••••••••
            </Text>
          )}
          {previousUntil !== null && (
            <Alert color="yellow" variant="light">
              <Text fz="sm" component="div">
                The secret before signs, too, until <Time at={previousUntil} />. Give the new one to the agent
                by then.
              </Text>
            </Alert>
          )}
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setShown(!isShown)} aria-expanded={isShown}>
              {isShown ? 'Hide the secret' : 'Show the secret'}
            </Button>
            <Permitted needs="agents" quiet>
              <Rotate agentId={agentId} onRotated={() => setShown(true)} />
            </Permitted>
          </Group>
        </Stack>
      </Card>
    </Section>
  );
}

const GRACE = [
  { value: '86400', label: 'For a day' },
  { value: '3600', label: 'For an hour' },
  { value: '604800', label: 'For a week' },
  { value: '0', label: 'Not any more: it is in wrong hands' },
];

function Rotate({ agentId, onRotated }: { agentId: string; onRotated: () => void }) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [grace, setGrace] = useState('86400');
  const rotate = useMutation({
    mutationFn: () =>
      send('post', '/v1/developer/agents/{agent_id}/rotate-signing-secret', {
        path: { agent_id: agentId },
        body: { grace_seconds: Number(grace) },
      }),
    onSuccess: () => {
      notifications.show({ message: 'The agent has a new signing secret.', color: 'green' });
      setOpened(false);
      onRotated();
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        Rotate the secret
      </Button>
      <FormModal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Rotate the signing secret"
        action="Make a new secret"
        mutation={rotate}
      >
        <Text fz="sm">
          The agent gets a new secret, which signs calls within 30 seconds. While the present one signs beside
          it, an agent that has either of them accepts the calls.
        </Text>
        <Select
          label="The present secret signs, too"
          data={GRACE}
          value={grace}
          allowDeselect={false}
          onChange={(value) => value !== null && setGrace(value)}
        />
      </FormModal>
    </>
  );
}
