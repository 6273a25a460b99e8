import { Alert, Button, Card, Checkbox, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { changeSession } from '../client/session';
import { forgetMailToken } from '../features/account/mail-token';
import { TokenPage } from '../features/account/token-page';
import { LinkButton } from '../ui/link';
import { Failure, problemOf } from '../ui/states';

const PAGE = 'reset-password';
const ANOTHER = (
  <LinkButton to="/forgot-password" variant="default" w="max-content">
    Ask for another mail
  </LinkButton>
);

export function ResetPasswordPage() {
  return (
    <TokenPage page={PAGE} title="Set a new password" another={{ words: '', action: ANOTHER }}>
      {(token) => <NewPassword token={token} />}
    </TokenPage>
  );
}

function NewPassword({ token }: { token: string }) {
  const [values, setValues] = useState({ new_password: '', end_keys: false, end_grants: false });
  const reset = useMutation({
    mutationFn: () => send('post', '/v1/auth/password-reset/confirm', { body: { token, ...values } }),
    onSuccess: () => {
      forgetMailToken(PAGE);
      changeSession(null);
    },
  });
  if (reset.isSuccess)
    return (
      <Alert color="green" variant="light" title="The new password is set" role="status">
        <Text fz="sm" mb="sm">
          All sessions of the account have ended.
        </Text>
        <LinkButton to="/login" size="xs">
          Log in
        </LinkButton>
      </Alert>
    );
  const wrongToken = problemOf(reset.error, 'token');
  return (
    <Card withBorder padding="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate();
        }}
      >
        <Stack>
          <PasswordInput
            label="New password"
            description="At least 8 characters, and not a common one"
            value={values.new_password}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, new_password: value }));
            }}
            error={problemOf(reset.error, 'new_password')}
            autoComplete="new-password"
            required
            autoFocus
          />
          <Text fz="sm">
            All sessions of the account end. API keys and applications go on unless you end them.
          </Text>
          <Checkbox
            label="Also end all API keys"
            checked={values.end_keys}
            onChange={(event) => {
              const { checked } = event.currentTarget;
              setValues((before) => ({ ...before, end_keys: checked }));
            }}
          />
          <Checkbox
            label="Also end all connected applications"
            checked={values.end_grants}
            onChange={(event) => {
              const { checked } = event.currentTarget;
              setValues((before) => ({ ...before, end_grants: checked }));
            }}
          />
          {wrongToken !== undefined ? (
            <Alert color="red" variant="light" role="alert" title="This link does not work any more">
              <Text fz="sm" mb="sm">
                It was used, is older than an hour, or a newer mail took its place.
              </Text>
              {ANOTHER}
            </Alert>
          ) : (
            reset.isError && <Failure error={reset.error} fields={['new_password']} />
          )}
          <Button type="submit" loading={reset.isPending}>
            Set the password
          </Button>
        </Stack>
      </form>
    </Card>
  );
}
