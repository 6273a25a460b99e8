import { useLocation } from '@tanstack/react-router';
import type { ApiError } from '../client/http';
import { LinkButton } from './link';
import { LoginWay } from './login-way';
import { useOwner } from './owner';

const WAY = { size: 'compact-xs', variant: 'default' } as const;

/** Where a person goes to remove the cause of a failure. */
export function Ways({ error: { code, status } }: { error: ApiError }) {
  const { href, pathname } = useLocation();
  const role = useOwner()?.role;
  const id = pathname.split('/').pop();
  return (
    <>
      {code === 'not_authenticated' && <LoginWay />}
      {/* An operator finds what belongs to others by its id, such as the call that `market open` leads to. */}
      {status === 404 && role === 'operator' && id?.includes('_') && (
        <LinkButton to="/operator" search={{ find: id }} {...WAY}>
          Find it as an operator
        </LinkButton>
      )}
      {/* A buyer who opened a page of sellers can become one. */}
      {code === 'forbidden' && role === 'buyer' && pathname.startsWith('/developer') && (
        <LinkButton to="/developer" {...WAY}>
          Start selling
        </LinkButton>
      )}
      {code === 'insufficient_credits' && (
        <LinkButton to="/wallet" search={{ add: '1', next: href }} {...WAY}>
          Add credits
        </LinkButton>
      )}
      {code === 'email_unconfirmed' && (
        <LinkButton to="/account" hash="address" {...WAY}>
          Send the mail again
        </LinkButton>
      )}
      {code === 'registration_required' && (
        <LinkButton to="/developer" {...WAY}>
          Pay the fee
        </LinkButton>
      )}
    </>
  );
}
