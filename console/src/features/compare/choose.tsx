import { Button, Card, Checkbox, Group, Text } from '@mantine/core';
import { LinkButton } from '../../ui/link';
import { Written } from '../../ui/written';
import { MOST_COMPARED, useCompared } from './choice';

/** Adds an agent to the comparison, or takes it away. */
export function CompareBox({ agentId, name }: { agentId: string; name: string }) {
  const { agents, isFull, toggle } = useCompared();
  const isChosen = agents.includes(agentId);
  return (
    <Checkbox
      size="xs"
      radius="sm"
      checked={isChosen}
      disabled={isFull && !isChosen}
      onChange={() => toggle(agentId)}
      label={
        <>
          Compare
          <span className="visually-hidden">
            : <Written>{name}</Written>
          </span>
        </>
      }
    />
  );
}

/** Below a list, once an agent is chosen: leads to the comparison. */
export function CompareBar() {
  const { agents, isFull, clear } = useCompared();
  if (agents.length === 0) return null;
  return (
    <Card withBorder padding="xs" className="compare-bar" component="section" aria-label="Comparison">
      <Group justify="space-between" gap="xs">
        <Text fz="sm" role="status">
          {agents.length === 1 ? '1 agent chosen. Choose another one.' : `${agents.length} agents chosen.`}
          {isFull && ` That is the most: ${MOST_COMPARED}.`}
        </Text>
        <Group gap="xs">
          <Button variant="subtle" size="xs" onClick={clear}>
            Clear the choice
          </Button>
          {agents.length > 1 && (
            <LinkButton to="/compare" search={{ agents: agents.join(',') }} size="xs">
              Compare {agents.length} agents
            </LinkButton>
          )}
        </Group>
      </Group>
    </Card>
  );
}
