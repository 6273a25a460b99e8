import { Card, Center, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { CompanyLogin } from '../features/account/company-login';
import { homeOf } from '../features/account/home-of';
import { LogInForm } from '../features/account/log-in-form';
import { useLeaveIfLoggedIn } from '../features/account/use-leave';
import { AppLink } from '../ui/link';
import { Page } from '../ui/page';
import { useSearchValue } from '../ui/params';

export function LoginPage() {
  const navigate = useNavigate();
  const next = useSearchValue('next');
  useLeaveIfLoggedIn(next);
  return (
    <Center>
      <Stack w="100%" maw={400}>
        <Page title="Log in">
          <Card withBorder padding="lg">
            <LogInForm onDone={(profile) => void navigate({ to: homeOf(profile, next) })} />
          </Card>
          <CompanyLogin next={next} />
          <Text fz="sm" ta="center">
            <AppLink to="/forgot-password">Forgot your password?</AppLink>
          </Text>
          <Text fz="sm" ta="center">
            No account yet?{' '}
            <AppLink to="/signup" search={next === undefined ? {} : { next }}>
              Sign up
            </AppLink>
          </Text>
        </Page>
      </Stack>
    </Center>
  );
}
