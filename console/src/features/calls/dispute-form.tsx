import { Button, Checkbox, Select, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import type { CallBodies } from './bodies';
import type { CallDetail } from './call-steps';
import { REASON_CHOICES } from './dispute-reasons';

type Reason = (typeof REASON_CHOICES)[number]['value'];

interface DisputeFormProps {
  call: CallDetail;
  bodies: CallBodies;
}

/** What can be attached: text or JSON with the digest that the call recorded, which base64 does not have. */
function attachable({ call, bodies: { data } }: DisputeFormProps): { input?: unknown; output?: unknown } {
  const kept = (part: 'input' | 'output') => (data?.[part]?.encoding ? undefined : data?.[part]?.value);
  const [input, output] = [kept('input'), kept('output') ?? (call.output_encoding ? undefined : call.output)];
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

/** Opens a dispute about one call. */
export function DisputeForm({ call, bodies }: DisputeFormProps) {
  const { invocation_id: invocationId } = call;
  const [attached, setAttached] = useState<('input' | 'output')[]>([]);
  const offered = attachable({ call, bodies });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const [reason, setReason] = useState<Reason>('output_incorrect');
  const [description, setDescription] = useState('');
  const mutation = useMutation({
    mutationFn: () =>
      send('post', '/v1/billing/disputes', {
        body: {
          invocation_id: invocationId,
          reason,
          description,
          ...(attached.length > 0 && {
            attachments: Object.fromEntries(attached.map((part) => [part, offered[part]])),
          }),
        },
      }),
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
        <Attach
          isKnown={bodies.data !== undefined}
          offered={offered}
          attached={attached}
          onChange={setAttached}
        />
      </FormModal>
    </>
  );
}

interface AttachProps {
  /** Whether it is known what is stored. */
  isKnown: boolean;
  offered: { input?: unknown; output?: unknown };
  attached: readonly string[];
  onChange: (parts: ('input' | 'output')[]) => void;
}

/** Nothing is attached unless the buyer says so. */
function Attach({ isKnown, offered, attached, onChange }: AttachProps) {
  const parts = (['input', 'output'] as const).filter((part) => offered[part] !== undefined);
  if (parts.length === 0)
    return (
      isKnown && (
        <Text fz="sm" c="dimmed">
          The input and the output of this call are not stored, so the other side sees their digests and sizes
          only.
        </Text>
      )
    );
  return (
    <Checkbox.Group
      label="Attach"
      description="The developer and an operator can read what you attach. It is deleted 90 days after the decision."
      value={[...attached]}
      onChange={(value) => onChange(value as ('input' | 'output')[])}
    >
      {parts.map((part) => (
        <Checkbox key={part} value={part} mt="xs" label={part === 'input' ? 'The input' : 'The output'} />
      ))}
    </Checkbox.Group>
  );
}
