import { Button, Select, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { starsText } from '../listings/stars';
import type { CallDetail } from './call-steps';

const RATINGS = [5, 4, 3, 2, 1].map((stars) => ({ value: String(stars), label: starsText(stars) }));

/** Reviews one paid call, once. */
export function ReviewForm({ call: { invocation_id: invocationId } }: { call: CallDetail }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [rating, setRating] = useState('5');
  const [text, setText] = useState('');
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/invocations/{invocation_id}/review', {
        path: { invocation_id: invocationId },
        body: { rating: Number(rating), ...(text.trim() !== '' && { text }) },
      }),
    onSuccess: async () => {
      close();
      await queries.invalidateQueries();
    },
  });
  if (mutation.isSuccess) return null;
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Review this call
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Review this call"
        action="Publish the review"
        mutation={mutation}
      >
        <Select
          label="Rating"
          data={RATINGS}
          value={rating}
          onChange={(value) => value && setRating(value)}
          allowDeselect={false}
        />
        <Textarea
          label="What others should know"
          description="Up to 1,000 characters. A review does not change, and shows neither your account nor the call."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problemOf(mutation.error, 'text')}
          maxLength={1_000}
          autosize
          minRows={3}
        />
      </FormModal>
    </>
  );
}
