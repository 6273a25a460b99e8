import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { QrCode } from '../../ui/qr-code';
import { Failure } from '../../ui/states';

export type Begun = Answer<'/v1/auth/authenticator', 'post'>;

interface FirstCodeProps {
  begun: Begun;
  onCodes: (codes: readonly string[]) => void;
  onCancel: () => void;
}

/** The second step of an enrolment: the secret as a QR code and as text, and the first code of the app. */
export function FirstCode({ begun, onCodes, onCancel }: FirstCodeProps) {
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => send('post', '/v1/auth/authenticator/confirm', { body: { totp_code: code } }),
    onSuccess: (answer) => {
      onCodes(answer.recovery_codes);
      return queries.invalidateQueries();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack maw={440}>
        <Text fz="sm">
          Scan this code with the app, or type the key into it. Then enter the code that the app shows.
        </Text>
        <QrCode text={begun.otpauth_uri} label="QR code for the authenticator app" />
        <CodeBlock text={begun.secret} label="key" />
        <TextInput
          label="Code that the app shows"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          autoFocus
        />
        {confirm.isError && <Failure error={confirm.error} />}
        <Group>
          <Button type="submit" loading={confirm.isPending}>
            Put it into use
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The last step: the recovery codes, which are shown only here. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <Alert color="green" variant="light" title="The authenticator app is in use" role="status">
      <Stack maw={440}>
        <Text fz="sm">
          Each of these recovery codes works once instead of a code of the app. They are shown only now: keep
          them where you find them without your phone.
        </Text>
        <CodeBlock text={codes.join('\n')} label="recovery codes" />
        <Button onClick={onDone} w="max-content">
          I have kept them
        </Button>
      </Stack>
    </Alert>
  );
}
