import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Checking, FailedChange } from './lost-answer';

interface FormModalProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** The verb on the button: "Freeze the wallet", not "OK". */
  action: string;
  danger?: boolean;
  mutation: { mutate: () => void; isPending: boolean; error: unknown; isChecking?: boolean };
  disabled?: boolean;
  /** Fields that show their problems themselves. */
  fields?: readonly string[];
  children: ReactNode;
}

/** A dialogue with fields and one action; the API's refusal stands above the button. */
export function FormModal({
  opened,
  onClose,
  title,
  action,
  danger = false,
  mutation,
  disabled = false,
  fields,
  children,
}: FormModalProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutation.mutate();
        }}
      >
        <Stack>
          {children}
          {mutation.isChecking && (
            <Checking>The same request is sent again. It counts at most once.</Checking>
          )}
          {mutation.error !== null && mutation.error !== undefined && (
            <FailedChange error={mutation.error} {...(fields && { fields })} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={mutation.isPending}
              disabled={disabled}
              {...(danger ? { color: 'red.8' } : {})}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
