import { Button, MultiSelect, TextInput, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormModal } from '../../ui/form-modal';
import { useOwner } from '../../ui/owner';
import { problemOf } from '../../ui/states';
import { eventsFor, type EventName } from './events';

export interface WebhookWish {
  url: string;
  types: EventName[];
}

interface WebhookFormProps<T> extends ButtonProps {
  /** The words on the button that opens the form. */
  open: string;
  title: string;
  action: string;
  begin: WebhookWish;
  save: (wish: WebhookWish) => Promise<T>;
  onSaved?: (saved: T) => void;
}

/** The address and the events of a webhook. An account is offered the events that it can receive. */
export function WebhookForm<T>(props: WebhookFormProps<T>) {
  const { open: label, title, action, begin, save, onSaved, ...button } = props;
  const queries = useQueryClient();
  const role = useOwner()?.role;
  const [opened, { open, close }] = useDisclosure();
  const [url, setUrl] = useState(begin.url);
  const [types, setTypes] = useState(begin.types);
  const mutation = useMutation({
    mutationFn: () => save({ url, types }),
    onSuccess: (saved) => {
      onSaved?.(saved);
      close();
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button onClick={open} {...button}>
        {label}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={title}
        action={action}
        mutation={mutation}
        disabled={types.length === 0}
        fields={['url', 'types']}
      >
        <TextInput
          label="Address"
          description="HTTPS, and reachable from the internet"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={problemOf(mutation.error, 'url')}
          required
          data-autofocus
        />
        <MultiSelect
          label="Events"
          data={eventsFor(role !== 'buyer', begin.types)}
          value={types}
          onChange={(chosen) => setTypes(chosen as EventName[])}
          error={problemOf(mutation.error, 'types')}
        />
      </FormModal>
    </>
  );
}
