import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send } from '../../client/http';
import { changeSession, resumeSession, type Profile } from '../../client/session';
import { AppLink } from '../../ui/link';
import { Failure } from '../../ui/states';

/** The dialog of `SessionEnd`: asks for the password of the account that has to log in again; undefined hides it. */
export function SessionEndDialog({ ended, onDone }: { ended: Profile | undefined; onDone: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const logIn = useMutation({
    mutationFn: async () => {
      const body = { email: ended?.email ?? '', password, ...(code ? { totp_code: code } : {}) };
      await resumeSession(await send('post', '/v1/auth/login', { body }), ended);
    },
    onSuccess: () => {
      onDone();
      setPassword('');
    },
  });
  const needsCode = logIn.error instanceof ApiError && logIn.error.code === 'second_factor_required';
  const leave = () => {
    onDone();
    changeSession(null);
  };
  return (
    <Modal opened={ended !== undefined} onClose={leave} title="Your session has ended" centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          logIn.mutate();
        }}
      >
        <Stack>
          <Text fz="sm">Enter your password to continue where you were. Nothing that you typed is lost.</Text>
          <TextInput label="Email" value={ended?.email ?? ''} readOnly autoComplete="username" />
          <PasswordInput
            label="Password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            data-autofocus
            required
          />
          {needsCode && (
            <TextInput
              label="Code of your authenticator app"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              autoComplete="one-time-code"
            />
          )}
          <Text fz="sm">
            <AppLink to="/forgot-password" onClick={leave}>
              Forgot your password?
            </AppLink>
          </Text>
          {logIn.isError && <Failure error={logIn.error} />}
          <Button type="submit" loading={logIn.isPending}>
            Continue
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
