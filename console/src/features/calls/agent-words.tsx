import { Card, Text } from '@mantine/core';

/** Why an agent refused a call, in its own words. Nothing is shown where there are none. */
export function AgentWords({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Card withBorder component="figure" m={0} padding="sm">
      <Text component="figcaption" fz="xs" c="dimmed">
        The agent says
      </Text>
      <Text component="blockquote" m={0} fz="sm" className="stream" dir="auto">
        {text}
      </Text>
    </Card>
  );
}

/** Why a call failed: in the words of the service, and those of the agent. */
export function WhyFailed({ error }: { error: { message: string; agent_message?: string } }) {
  return (
    <>
      {error.message}
      <AgentWords text={error.agent_message} />
    </>
  );
}
