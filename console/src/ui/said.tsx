import { Card, Text } from '@mantine/core';
import { Section } from './page';

/** A text that a person wrote, under a title. Shows nothing while there is no text. */
export function Said({ title, text }: { title: string; text: string | null }) {
  if (text === null) return null;
  return (
    <Section title={title}>
      <Card withBorder>
        <Text className="stream" dir="auto">
          {text}
        </Text>
      </Card>
    </Section>
  );
}
