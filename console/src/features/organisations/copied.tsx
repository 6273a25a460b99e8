import { Group, Text } from '@mantine/core';
import { CopyIcon } from '../../ui/id';

/** A text that belongs into another system, with a button that copies it. */
export function Copied({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" component="span" className="inline">
      <Text span ff="monospace" fz="0.8125em" className="anywhere">
        {value}
      </Text>
      <CopyIcon value={value} label={`Copy the ${what}`} />
    </Group>
  );
}
