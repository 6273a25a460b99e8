import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { type Begun, FirstCode, RecoveryCodes } from './first-code';

type Security = Answer<'/v1/auth/security', 'get'>;

/** The second factor: its enrolment in three steps, or its removal. */
export function Authenticator({ security }: { security: Security }) {
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />;
  if (security.authenticator)
    return (
      <Stack gap="xs" align="flex-start">
        <Text fz="sm">
          In use. Your login asks for a code of the app. Recovery codes left: {security.recovery_codes_left}.
        </Text>
        <Remove />
      </Stack>
    );
  return (
    <Stack gap="xs" align="flex-start">
      <Text fz="sm" maw={620}>
        Not in use. With an authenticator app on your phone, a stolen password alone does not open your
        account.
      </Text>
      <Enrol onCodes={setCodes} />
    </Stack>
  );
}

function Enrol({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const [opened, setOpened] = useState(false);
  const [password, setPassword] = useState('');
  const [begun, setBegun] = useState<Begun>();
  const begin = useMutation({
    mutationFn: () => send('post', '/v1/auth/authenticator', { body: { password } }),
    onSuccess: (answer) => {
      setBegun(answer);
      setOpened(false);
      setPassword('');
    },
  });
  if (begun) return <FirstCode begun={begun} onCodes={onCodes} onCancel={() => setBegun(undefined)} />;
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Set up an authenticator app
      </Button>
      <FormModal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Set up an authenticator app"
        action="Go on"
        mutation={begin}
      >
        <PasswordInput
          label="Your password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          required
          data-autofocus
        />
      </FormModal>
    </>
  );
}

function Remove() {
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [code, setCode] = useState('');
  const remove = useMutation({
    mutationFn: () => send('post', '/v1/auth/authenticator/remove', { body: { totp_code: code } }),
    onSuccess: () => {
      notifications.show({ message: 'The authenticator app is removed.', color: 'green' });
      setOpened(false);
      setCode('');
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        Remove the app
      </Button>
      <FormModal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Remove the authenticator app"
        action="Remove"
        danger
        mutation={remove}
      >
        <Text fz="sm">Your login then asks for the password alone.</Text>
        <TextInput
          label="Code of the app, or a recovery code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          required
          data-autofocus
        />
      </FormModal>
    </>
  );
}
