import { Button, Select, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { REASON_CHOICES } from './dispute-reasons';

type Reason = (typeof REASON_CHOICES)[number]['value'];

/** Opens a dispute about one call. */
export function DisputeForm({ invocationId }: { invocationId: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const [reason, setReason] = useState<Reason>('output_incorrect');
  const [description, setDescription] = useState('');
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/billing/disputes', { body: { invocation_id: invocationId, reason, description } }),
    onSuccess: async ({ dispute_id: id }) => {
      close();
      await queries.invalidateQueries();
      await navigate({ to: `/disputes/${id}` });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Dispute this call
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Dispute this call"
        action="Open the dispute"
        mutation={mutation}
      >
        <Select
          label="Reason"
          data={REASON_CHOICES}
          value={reason}
          onChange={(value) => value && setReason(value as Reason)}
          allowDeselect={false}
        />
        <Textarea
          label="What went wrong"
          description="The developer reads this, and an operator if the developer contests."
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          error={problemOf(mutation.error, 'description')}
          required
          autosize
          minRows={3}
        />
      </FormModal>
    </>
  );
}
