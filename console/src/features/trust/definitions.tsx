import { Alert, Badge, Card, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { list, type ItemOf } from '../../client/queries';
import { ListView } from '../../ui/data-table';
import { formatCode } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { Section } from '../../ui/page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Change = ItemOf<'/v1/agents/{agent_id}/tool-changes'>;
type Tool = Change['changes'][number];

/** The lists of definitions of an agent, newest first, with what differs from the one before. */
export function Definitions({ agentId }: { agentId: string }) {
  const query = useInfiniteQuery(
    list('/v1/agents/{agent_id}/tool-changes', { path: { agent_id: agentId }, query: { limit: 20 } }),
  );
  return (
    <Section
      title="Definitions"
      note="What a model reads of the agent: its tools, or its name, description, icon and skills. Buyers are served the verified ones alone. Invisible characters are shown as escapes."
    >
      <ListView<Change> query={query} empty={<Empty title="No definitions yet" />}>
        {(changes) => (
          <Stack p="md">
            {changes.map((change) => (
              <ListOfTools key={change.list_id} change={change} />
            ))}
          </Stack>
        )}
      </ListView>
    </Section>
  );
}

function ListOfTools({ change }: { change: Change }) {
  const { changes, more } = change;
  return (
    <Card withBorder padding="sm" component="article">
      <Group gap={6}>
        <Status value={change.state} />
        <Text fz="sm">
          Version {change.version}, {change.tool_count}{' '}
          {change.tool_count === 1 ? 'definition' : 'definitions'}
        </Text>
        <Text fz="xs" c="dimmed">
          seen <Time at={change.seen_at} />
        </Text>
      </Group>
      <Text fz="xs" c="dimmed" className="anywhere">
        {change.tools_digest}
      </Text>
      {change.reason && (
        <Alert color="red" variant="light" my="xs" p="xs" title="Refused">
          {visible(change.reason)}
        </Alert>
      )}
      {changes.map((tool) => (
        <ToolOfList key={tool.name} tool={tool} />
      ))}
      {more > 0 && (
        <Text fz="sm" c="dimmed">
          and {more} more {more === 1 ? 'definition' : 'definitions'}
        </Text>
      )}
    </Card>
  );
}

function ToolOfList({ tool }: { tool: Tool }) {
  return (
    <details>
      <summary>
        <Text span fz="sm" fw={600} className="anywhere">
          {isolated(visible(tool.name))}
        </Text>{' '}
        <Badge size="xs" variant="outline" color="gray">
          {formatCode(tool.kind)}
        </Badge>
      </summary>
      {tool.texts.map(({ path, before, after }) => (
        <div key={path}>
          <Text fz="xs" c="dimmed" className="anywhere">
            {visible(path)}
          </Text>
          {before !== null && (
            <Text fz="sm" className="anywhere" dir="auto" td="line-through">
              {visible(before)}
            </Text>
          )}
          {after !== null && (
            <Text fz="sm" className="anywhere" dir="auto">
              {visible(after)}
            </Text>
          )}
        </div>
      ))}
      {tool.more > 0 && (
        <Text fz="sm" c="dimmed">
          and {tool.more} more {tool.more === 1 ? 'text' : 'texts'}
        </Text>
      )}
    </details>
  );
}

/** Characters that are not seen, or change the direction of text, as escapes. */
function visible(text: string): string {
  return text.replaceAll(
    /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e01ef}]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}
