import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send } from '../../client/http';
import { changeSession, type Profile } from '../../client/session';
import { Failure } from '../../ui/states';

/** Email, password and, for accounts that have one, a code of the authenticator app. */
export function LogInForm({ onDone }: { onDone: (profile: Profile) => void }) {
  const [values, setValues] = useState({ email: '', password: '', totp_code: '' });
  const set = (field: keyof typeof values) => (event: React.ChangeEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget;
    setValues((before) => ({ ...before, [field]: value }));
  };
  const logIn = useMutation({
    mutationFn: () => {
      const { totp_code: code, ...rest } = values;
      return send('post', '/v1/auth/login', { body: { ...rest, ...(code ? { totp_code: code } : {}) } });
    },
    onSuccess: (profile) => {
      changeSession(profile);
      onDone(profile);
    },
  });
  const needsCode = logIn.error instanceof ApiError && logIn.error.code === 'second_factor_required';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        logIn.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Email"
          type="email"
          value={values.email}
          onChange={set('email')}
          autoComplete="username"
          required
          autoFocus
        />
        <PasswordInput
          label="Password"
          value={values.password}
          onChange={set('password')}
          autoComplete="current-password"
          required
        />
        {(needsCode || values.totp_code) && (
          <TextInput
            label="Code of your authenticator app"
            value={values.totp_code}
            onChange={set('totp_code')}
            autoComplete="one-time-code"
            inputMode="numeric"
          />
        )}
        {logIn.isError && <Failure error={logIn.error} />}
        <Button type="submit" loading={logIn.isPending}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}
