import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, send } from '../../client/http';
import { setSessionEndListener } from '../../client/queries';
import { changeSession, sessionQuery, type Profile } from '../../client/session';
import { AppLink } from '../../ui/link';
import { Failure } from '../../ui/states';

/** Asks for the password when the session has ended, and leaves the page and its forms as they were. */
export function SessionEnd() {
  const queries = useQueryClient();
  const [ended, setEnded] = useState<Profile | null>(null);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  useEffect(() => {
    setSessionEndListener(() => {
      const profile = queries.getQueryData(sessionQuery.queryKey);
      if (profile) setEnded(profile);
    });
  }, [queries]);
  const logIn = useMutation({
    mutationFn: () =>
      send('post', '/v1/auth/login', {
        body: { email: ended?.email ?? '', password, ...(code ? { totp_code: code } : {}) },
      }),
    onSuccess: (profile) => {
      queries.setQueryData(sessionQuery.queryKey, profile);
      setEnded(null);
      setPassword('');
      void queries.invalidateQueries();
    },
  });
  const needsCode = logIn.error instanceof ApiError && logIn.error.code === 'second_factor_required';
  const leave = () => {
    setEnded(null);
    changeSession(null);
  };
  return (
    <Modal opened={ended !== null} onClose={leave} title="Your session has ended" centered>
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
