import { Group, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface StepProps {
  done: boolean;
  title: string;
  note: string;
  doneNote?: string | undefined;
  action?: ReactNode;
  /** It can be done again. */
  keepsAction?: boolean;
}

/** One thing to do, with its button, or done. */
export function Step({ done, title, note, doneNote, action, keepsAction = false }: StepProps) {
  const text = done ? doneNote : note;
  return (
    <Group align="flex-start" gap="sm">
      <ThemeIcon radius="xl" size={26} variant="light" color={done ? 'green' : 'gray'}>
        {done ? <IconCheck size={16} aria-label="Done" /> : <IconCircleDashed size={16} aria-label="To do" />}
      </ThemeIcon>
      <div className="step-text">
        <Text fw={600} {...(done ? { c: 'dimmed' } : {})}>
          {title}
        </Text>
        {text && (
          <Text fz="sm" c="dimmed" className="anywhere">
            {text}
          </Text>
        )}
      </div>
      {(!done || keepsAction) && action && <div className="fixed">{action}</div>}
    </Group>
  );
}
