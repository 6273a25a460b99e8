import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function CopyIcon({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label} withArrow>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : label}
          >
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            <span className="visually-hidden" role="status">
              {copied && 'Copied'}
            </span>
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** An id in fixed width, shortened in the middle, with a button that copies the whole. */
export function Id({ value, short = true }: { value: string; short?: boolean }) {
  const text = short && value.length > 20 ? `${value.slice(0, 9)}…${value.slice(-6)}` : value;
  return (
    <Group gap={4} wrap="nowrap" component="span" className="inline">
      <Text span ff="monospace" fz="0.8125em" title={value} className={short ? 'nowrap' : 'anywhere'}>
        {text}
      </Text>
      <CopyIcon value={value} label={`Copy ${value.split('_')[0]} id`} />
    </Group>
  );
}
