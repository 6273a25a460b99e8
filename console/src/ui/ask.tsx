import { Button, Text, Textarea, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../client/http';
import { noteFailure } from '../client/queries';
import { FormModal } from './form-modal';

interface AskProps extends ButtonProps {
  /** The words on the button and on the action of the dialogue. */
  action: string;
  question: string;
  /** The words on the button of the dialogue, where they say more, such as the amount. */
  confirm?: string | undefined;
  /** Shows a field for the reason, which goes into the audit log or to the other side. */
  reason?: string;
  /** What is shown when it is done. */
  done: string;
  danger?: boolean;
  /** Further fields of the dialogue, whose values `run` knows. */
  fields?: ReactNode;
  /** False while a further field lacks a value. */
  ready?: boolean;
  run: (reason: string) => Promise<unknown>;
}

/** True if what the button is about has changed since it was read: another person decided it, or its time is over. */
function isOutdated(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

/** A button that asks before it acts, with a reason where one is required, and reloads what the page shows; also
 * when the action came too late, so that a case which is decided does not stay with a button that cannot work. */
export function Ask({
  action,
  question,
  confirm = action,
  reason,
  done,
  danger = false,
  fields,
  ready = true,
  run,
  ...button
}: AskProps) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [text, setText] = useState('');
  const mutation = useMutation({
    mutationFn: () => run(text),
    onSuccess: () => {
      notifications.show({ message: done, color: 'green' });
      setText('');
      close();
      return queries.invalidateQueries();
    },
    onError: (error) => {
      noteFailure(error);
      if (!isOutdated(error)) return undefined;
      notifications.show({ message: error.message, color: 'red' });
      close();
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={open}>
        {action}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={action}
        action={confirm}
        danger={danger}
        mutation={mutation}
        disabled={!ready}
      >
        <Text fz="sm">{question}</Text>
        {fields}
        {reason && (
          <Textarea
            label={reason}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            required
            autosize
            minRows={2}
            maxLength={2000}
            dir="auto"
            {...(fields === undefined ? { 'data-autofocus': true } : {})}
          />
        )}
      </FormModal>
    </>
  );
}
