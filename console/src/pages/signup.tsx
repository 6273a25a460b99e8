import { Button, Card, Center, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../client/http';
import { changeSession } from '../client/session';
import { homeOf } from '../features/account/home-of';
import { useLeaveIfLoggedIn } from '../features/account/use-leave';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { useSearchValue } from '../ui/params';
import { Failure, problemOf } from '../ui/states';

/** The page says it to visitors, who may call no operation yet (`src/api/console/console-files.ts`). */
const REGISTRATION_FEE =
  document.querySelector<HTMLMetaElement>('meta[name=registration-fee]')?.content ?? '';

interface NewAccount {
  email: string;
  password: string;
  displayName: string;
  role: 'buyer' | 'developer';
}

export function SignupPage() {
  const navigate = useNavigate();
  const next = useSearchValue('next');
  useLeaveIfLoggedIn(next);
  const [values, setValues] = useState<NewAccount>({
    email: '',
    password: '',
    displayName: '',
    role: useSearchValue('role') === 'developer' ? 'developer' : 'buyer',
  });
  const set = (field: keyof typeof values) => (event: React.ChangeEvent<HTMLInputElement>) => {
    const { value } = event.currentTarget;
    setValues((before) => ({ ...before, [field]: value }));
  };
  const signUp = useMutation({
    mutationFn: () => send('post', '/v1/auth/register', { body: values }),
    onSuccess: (profile) => {
      changeSession(profile);
      void navigate(next === undefined ? { to: '/welcome' } : { to: homeOf(profile, next) });
    },
  });
  return (
    <Center>
      <Stack w="100%" maw={440}>
        <Page title="Sign up">
          <Card withBorder padding="lg">
            <form
              onSubmit={(event) => {
                event.preventDefault();
                signUp.mutate();
              }}
            >
              <Stack>
                <Radio.Group
                  label="You want to"
                  value={values.role}
                  onChange={(role) =>
                    setValues((before) => ({ ...before, role: role === 'developer' ? role : 'buyer' }))
                  }
                >
                  <Stack gap={6} mt={6}>
                    <Radio value="buyer" label="Call agents" description="For your programs and assistants" />
                    <Radio
                      value="developer"
                      label="Sell agents"
                      description={`Publish, and call agents too. Registration fee: ${REGISTRATION_FEE} credits, once`}
                    />
                  </Stack>
                </Radio.Group>
                <TextInput
                  label="Name"
                  value={values.displayName}
                  onChange={set('displayName')}
                  error={problemOf(signUp.error, 'displayName')}
                  autoComplete="name"
                  required
                  autoFocus
                />
                <TextInput
                  label="Email"
                  type="email"
                  value={values.email}
                  onChange={set('email')}
                  error={problemOf(signUp.error, 'email')}
                  autoComplete="username"
                  required
                />
                <PasswordInput
                  label="Password"
                  description="At least 8 characters, and not a common one"
                  value={values.password}
                  onChange={set('password')}
                  error={problemOf(signUp.error, 'password')}
                  autoComplete="new-password"
                  required
                />
                {signUp.isError && (
                  <Failure error={signUp.error} fields={['displayName', 'email', 'password']} />
                )}
                <Button type="submit" loading={signUp.isPending}>
                  Sign up
                </Button>
              </Stack>
            </form>
          </Card>
          <Text fz="sm" ta="center">
            You have an account?{' '}
            <AppLink to="/login" search={next === undefined ? {} : { next }}>
              Log in
            </AppLink>
          </Text>
        </Page>
      </Stack>
    </Center>
  );
}
