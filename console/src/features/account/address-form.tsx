import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { Resend } from './resend';

type Security = Answer<'/v1/auth/security', 'get'>;
const EMPTY = { email: '', password: '', totp_code: '' };

/** The email address of the account: whether it is confirmed, a change that waits, and the form of another one. */
export function Address({ security }: { security: Security }) {
  const { email, email_confirmed: isConfirmed, pending_email: pending } = security;
  return (
    <Stack gap="sm" id="address">
      <Group gap="xs">
        <Text className="anywhere">
          {email} ({isConfirmed ? 'confirmed' : 'not confirmed'})
        </Text>
        <ChangeAddress security={security} />
      </Group>
      {(pending !== null || !isConfirmed) && (
        <Alert color="yellow" variant="light">
          <Text fz="sm" mb={6} className="anywhere">
            {pending === null
              ? `A mail to ${email} has a link that confirms the address.`
              : `A mail to ${pending} has a link. Until you have confirmed it, your address stays ${email}.`}
          </Text>
          <Group gap="xs">
            <Resend />
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

function ChangeAddress({ security }: { security: Security }) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const [values, setValues] = useState(EMPTY);
  const set = (field: keyof typeof EMPTY) => (event: React.ChangeEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget;
    setValues((before) => ({ ...before, [field]: value }));
  };
  const change = useMutation({
    mutationFn: () => {
      const { totp_code: code, ...rest } = values;
      return send('post', '/v1/auth/email', { body: { ...rest, ...(code ? { totp_code: code } : {}) } });
    },
    onSuccess: () => {
      notifications.show({ message: `A mail to ${values.email} is on its way.`, color: 'green' });
      setOpened(false);
      setValues(EMPTY);
      return queries.invalidateQueries();
    },
  });
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setOpened(true)}>
        Change the address
      </Button>
      <FormModal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Change the email address"
        action="Send the mail"
        mutation={change}
        fields={['email', 'password']}
      >
        <Text fz="sm">
          You get a mail at the new address. The change happens when you open its link and press the button
          there.
        </Text>
        <TextInput
          label="New email address"
          type="email"
          value={values.email}
          onChange={set('email')}
          error={problemOf(change.error, 'email')}
          autoComplete="email"
          required
          data-autofocus
        />
        <PasswordInput
          label="Your password"
          value={values.password}
          onChange={set('password')}
          error={problemOf(change.error, 'password')}
          autoComplete="current-password"
          required
        />
        {security.authenticator && (
          <TextInput
            label="Code of your authenticator app"
            value={values.totp_code}
            onChange={set('totp_code')}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
          />
        )}
      </FormModal>
    </>
  );
}
