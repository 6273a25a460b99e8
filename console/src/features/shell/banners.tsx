import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../client/http';
import { get, SELDOM } from '../../client/queries';
import type { Profile } from '../../client/session';
import { organisationName } from '../../client/owner';
import { formatCredits } from '../../ui/format';
import { isolated } from '../../ui/isolated';
import { AppLink, LinkButton } from '../../ui/link';
import { marketplaceQuery, Support } from '../../ui/support';
import { Time } from '../../ui/time';
import { Resend } from '../account/resend';

type Security = Answer<'/v1/auth/security', 'get'>;
const SELDOM_MS = 60_000;

/** On every page: what stops the account (an address that is not confirmed, a frozen wallet), and what is made up. */
export function Banners({ profile }: { profile: Profile | null | undefined }) {
  const { data } = useQuery({ ...get('/v1/auth/security'), enabled: Boolean(profile), staleTime: SELDOM_MS });
  const { data: marketplace } = useQuery({ ...marketplaceQuery, enabled: Boolean(profile) });
  const { data: balance } = useQuery({
    ...get('/v1/billing/balance'),
    ...SELDOM,
    enabled: organisationName(profile) !== undefined,
  });
  if (!profile || !data) return null;
  return (
    <>
      {marketplace?.demonstration && <Demonstration />}
      {profile.acting_for && balance?.wallet_frozen && (
        <Frozen freeze={balance.wallet_frozen} owner={organisationName(profile)} />
      )}
      {!profile.acting_for && data.wallet_frozen && <Frozen freeze={data.wallet_frozen} />}
      {!data.email_confirmed && <Unconfirmed email={data.pending_email ?? data.email} />}
    </>
  );
}

function Demonstration() {
  return (
    <Text fz="xs" c="dimmed" mb="sm" className="banner">
      Demonstration: the accounts, calls and money of this marketplace are made up.
    </Text>
  );
}

function Unconfirmed({ email }: { email: string }) {
  return (
    <Alert color="yellow" variant="light" mb="lg" title="Confirm your email address" className="banner">
      <Text fz="sm" className="anywhere" mb={6}>
        A mail to {email} has a link. Open it and press the button on its page.
      </Text>
      <Group gap="xs">
        <Resend />
        <LinkButton to="/account" hash="address" size="compact-xs" variant="default">
          Change the address
        </LinkButton>
      </Group>
    </Alert>
  );
}

interface FrozenProps {
  freeze: NonNullable<Security['wallet_frozen']>;
  /** The name of the organisation whose wallet it is; undefined for the reader's own. */
  owner?: string | undefined;
}

function Frozen({ freeze, owner }: FrozenProps) {
  const title = owner === undefined ? 'Your wallet is frozen' : `The wallet of ${isolated(owner)} is frozen`;
  const { cause, since, owed_credits: owed } = freeze;
  return (
    <Alert color="red" variant="light" mb="lg" title={title} className="banner" role="alert">
      <Text fz="sm" component="div">
        Since <Time at={since} />, it pays for no calls and allows no withdrawals. Calls that had begun end as
        usual.{' '}
        {cause === 'debt' ? (
          <>
            A payment was taken back, and {formatCredits(owed)} credits are owed.{' '}
            <AppLink to="/wallet">Add credits</AppLink> to pay them: the freeze then ends by itself.
          </>
        ) : (
          <>
            An operator of the marketplace froze it. <Support />
          </>
        )}
      </Text>
    </Alert>
  );
}
