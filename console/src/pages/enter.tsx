import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { send } from '../client/http';
import { changeSession } from '../client/session';
import { homeOf } from '../features/account/home-of';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { useSearchValue } from '../ui/params';
import { Empty, Failure, Waiting } from '../ui/states';

const BY_PASSWORD = (
  <LinkButton to="/login" variant="default" w="max-content">
    Log in with a password
  </LinkButton>
);

/**
 * Uses up a one-time login link, and goes on to the page that `next` names. The token stands behind `#`, so that no
 * server and no log receives it.
 */
export function EnterPage() {
  const navigate = useNavigate();
  const sent = useRef(false);
  const [isEmpty] = useState(() => location.hash.length < 2);
  const next = useSearchValue('next');
  const { mutate, isError, error } = useMutation({
    mutationFn: (token: string) => send('post', '/v1/auth/login-link', { body: { token } }),
    onSuccess: (profile) => {
      changeSession(profile);
      void navigate({ to: homeOf(profile, next), replace: true });
    },
  });
  useEffect(() => {
    if (sent.current || isEmpty) return;
    sent.current = true;
    const token = location.hash.slice(1);
    history.replaceState(history.state, '', location.pathname + location.search);
    mutate(token);
  }, [mutate, isEmpty]);
  return (
    <Page title="Logging in">
      {isEmpty && (
        <Empty title="This link has no token" action={BY_PASSWORD}>
          A login link ends with # and a token. Copy the whole link, or log in with your password.
        </Empty>
      )}
      {isError && (
        <>
          <Failure error={error} />
          {BY_PASSWORD}
        </>
      )}
      {!isEmpty && !isError && <Waiting lines={1} />}
    </Page>
  );
}
