import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

const PATH = '/v1/account/delete';

interface RequestProps {
  hasCredits: boolean;
  /** What is deleted: "Delete your account", or "Delete Acme". */
  title: string;
}

/** Asks for the deletion with the password, and gives up the credits that are left, if there are any. */
export function RequestDeletion({ hasCredits, title }: RequestProps) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [forfeits, setForfeits] = useState(false);
  const mutation = useMutation({
    mutationFn: () =>
      send('post', PATH, {
        body: { password, forfeit_credits: forfeits, ...(code ? { totp_code: code } : {}) },
      }),
    onSuccess: () => {
      setPassword('');
      setCode('');
      close();
      return queries.invalidateQueries({ queryKey: [PATH] });
    },
  });
  const needsCode = mutation.error instanceof ApiError && mutation.error.code === 'second_factor_required';
  return (
    <div>
      <Button variant="default" size="xs" onClick={open}>
        Ask for the deletion
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title={title}
        action={title}
        danger
        mutation={mutation}
        disabled={hasCredits && !forfeits}
        fields={['password', 'totp_code']}
      >
        <PasswordInput
          label="Your password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problemOf(mutation.error, 'password')}
          autoComplete="current-password"
          required
          data-autofocus
        />
        {(needsCode || code) && (
          <TextInput
            label="Code of your authenticator app"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={problemOf(mutation.error, 'totp_code')}
            autoComplete="one-time-code"
          />
        )}
        {hasCredits && (
          <Checkbox
            label="Give up the credits that are left in the wallet"
            checked={forfeits}
            onChange={(event) => setForfeits(event.currentTarget.checked)}
          />
        )}
      </FormModal>
    </div>
  );
}
