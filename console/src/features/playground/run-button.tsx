import { Button, Group } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LinkButton } from '../../ui/link';
import { NotPermitted, useMay } from '../../ui/owner';

interface RunButtonProps {
  form: string;
  isVisitor: boolean;
  agentId: string;
  /** Called before a visitor leaves for the login. */
  onLeave: () => void;
  isRunning: boolean;
  disabled: boolean;
  stop: (() => void) | undefined;
  children: ReactNode;
}

/** Runs the call, or leads a visitor to the login and back. */
export function RunButton({ isVisitor, agentId, onLeave, ...button }: RunButtonProps) {
  const { form, isRunning, disabled, stop, children } = button;
  const may = useMay('call');
  if (isVisitor)
    return (
      <LinkButton to="/login" search={{ next: `/agents/${agentId}/try` }} onClick={onLeave}>
        Log in to run this agent
      </LinkButton>
    );
  if (!may) return <NotPermitted needs="call" />;
  return (
    <Group>
      <Button
        type="submit"
        form={form}
        loading={isRunning}
        disabled={disabled}
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
      >
        {children}
      </Button>
      {isRunning && stop && (
        <Button variant="default" onClick={stop}>
          Stop and pay for what was delivered
        </Button>
      )}
    </Group>
  );
}
