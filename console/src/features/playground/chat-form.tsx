import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import type { Message } from './conversation';

interface ChatFormProps {
  id: string;
  /** The conversation; its last message is the one that is written. */
  messages: readonly Message[];
  onChange: (messages: Message[]) => void;
  onSubmit: () => void;
  problem: string | undefined;
}

const NAMES: Record<string, string> = { user: 'You', assistant: 'The agent', system: 'Instructions' };

/** A conversation with an agent that takes messages. Its button is outside of it, with `form={id}`. */
export function ChatForm({ id, messages, onChange, onSubmit, problem }: ChatFormProps) {
  const before = messages.slice(0, -1);
  const last = messages.at(-1) ?? { role: 'user', content: '' };
  return (
    <form
      id={id}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="sm">
        {before.length > 0 && (
          <Stack gap="xs" component="ol" className="conversation" aria-label="Conversation">
            {before.map(({ role, content }, index) => (
              <li key={index} className={role}>
                <Text fz="xs" c="dimmed">
                  {NAMES[role] ?? role}
                </Text>
                <Text fz="sm" className="stream" dir="auto">
                  {content}
                </Text>
              </li>
            ))}
          </Stack>
        )}
        <Textarea
          label="Your message"
          dir="auto"
          autosize
          minRows={3}
          maxRows={12}
          value={last.content}
          error={problem}
          onChange={({ currentTarget }) => onChange([...before, { ...last, content: currentTarget.value }])}
        />
        {before.length > 0 && (
          <Group>
            <Button
              variant="subtle"
              size="compact-xs"
              onClick={() => onChange([{ role: 'user', content: '' }])}
            >
              Begin another conversation
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
