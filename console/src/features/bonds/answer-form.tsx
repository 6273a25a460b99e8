import { Button, Card, Group, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { Section } from '../../ui/page';
import { Failure, problemOf } from '../../ui/states';

/** The developer's answer to a slash, while there is time. */
export function AnswerForm({ slashId }: { slashId: string }) {
  const queries = useQueryClient();
  const [statement, setStatement] = useState('');
  const answer = useMutation({
    mutationFn: () =>
      send('post', '/v1/billing/developer/slashes/{slash_id}/counter-argument', {
        path: { slash_id: slashId },
        body: { statement },
      }),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Section title="Answer" note="An operator decides between the slash and your answer.">
      <Card withBorder>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            answer.mutate();
          }}
        >
          <Textarea
            label="Your counter-argument"
            value={statement}
            onChange={(event) => setStatement(event.currentTarget.value)}
            error={problemOf(answer.error, 'statement')}
            required
            autosize
            minRows={4}
            mb="sm"
          />
          {answer.isError && <Failure error={answer.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={answer.isPending}>
              Send the answer
            </Button>
          </Group>
        </form>
      </Card>
    </Section>
  );
}
