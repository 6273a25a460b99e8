import { useLocation } from '@tanstack/react-router';
import { LinkButton } from './link';

/** Leads a visitor to the login and the sign-up, and from there back to this page. */
export function LoginWay() {
  const { href } = useLocation();
  return (
    <>
      <LinkButton to="/login" search={{ next: href }} size="compact-xs">
        Log in
      </LinkButton>
      <LinkButton to="/signup" search={{ next: href }} size="compact-xs" variant="default">
        Sign up
      </LinkButton>
    </>
  );
}
