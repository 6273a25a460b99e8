import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { send } from '../client/http';
import { changeSession } from '../client/session';
import { homeOf } from '../features/account/home-of';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Failure, Waiting } from '../ui/states';

/** Uses up a one-time login link. The token stands behind `#`, so that no server and no log receives it. */
export function EnterPage() {
  const navigate = useNavigate();
  const sent = useRef(false);
  const { mutate, isError, error } = useMutation({
    mutationFn: (token: string) => send('post', '/v1/auth/login-link', { body: { token } }),
    onSuccess: (profile) => {
      changeSession(profile);
      void navigate({ to: homeOf(profile), replace: true });
    },
  });
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    const token = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname);
    mutate(token);
  }, [mutate]);
  return (
    <Page title="Logging in">
      {isError ? (
        <>
          <Failure error={error} />
          <LinkButton to="/login" variant="default" w="max-content">
            Log in with a password
          </LinkButton>
        </>
      ) : (
        <Waiting lines={1} />
      )}
    </Page>
  );
}
