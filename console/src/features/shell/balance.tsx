import { useQuery } from '@tanstack/react-query';
import { get, SELDOM } from '../../client/queries';
import type { Profile } from '../../client/session';
import { creditsText } from '../../ui/format';
import { AppLink } from '../../ui/link';

/** What the wallet has, in the header, with the way to it. Operators have no wallet of their own to look at. */
export function Balance({ profile }: { profile: Profile | null | undefined }) {
  const pays = profile?.role === 'buyer' || profile?.role === 'developer';
  const { data } = useQuery({ ...get('/v1/billing/balance'), ...SELDOM, enabled: pays });
  if (!pays || !data) return null;
  const text = creditsText(data.available_credits);
  return (
    <AppLink to="/wallet" fz="sm" className="nowrap figures" visibleFrom="sm" title="Wallet">
      {text}
    </AppLink>
  );
}
