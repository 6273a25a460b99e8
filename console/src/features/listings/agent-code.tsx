import { Stack, Tabs, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { AppLink } from '../../ui/link';
import { snippetsOf } from './snippets';

export type ListingDetail = Answer<'/v1/listings/{agent_id}', 'get'>;

/** An input that the agent accepts, as far as the listing has one. */
export function exampleOf(listing: ListingDetail): Record<string, unknown> {
  const first = listing.examples[0] as { input?: unknown } | undefined;
  const own = listing.input_schema?.['examples'] as unknown[] | undefined;
  const example = first && typeof first === 'object' && 'input' in first ? first.input : (first ?? own?.[0]);
  return typeof example === 'object' && example !== null ? (example as Record<string, unknown>) : {};
}

/** How to call the agent from a terminal, from programs and from assistants. */
export function AgentCode({ listing }: { listing: ListingDetail }) {
  const snippets = snippetsOf({
    agentId: listing.agent_id,
    input: exampleOf(listing),
    isMcp: listing.protocol === 'mcp',
  });
  return (
    <Stack gap="sm">
      <Text fz="sm" c="dimmed">
        Create a key with the scope <code>agents:invoke</code> on the page{' '}
        <AppLink to={'/keys'}>API keys</AppLink>. A credit cap bounds what the key can spend.
      </Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List>
          {snippets.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ value, label, text }) => (
          <Tabs.Panel key={value} value={value} pt="sm">
            <CodeBlock text={text} label={`${label} code`} />
            {value === 'mcp' && (
              <Text fz="sm" c="dimmed" mt="xs">
                For clients that read <code>mcpServers</code>, such as Claude Code, Cursor and VS Code.
                Assistants that log in by OAuth need only the address.
              </Text>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
