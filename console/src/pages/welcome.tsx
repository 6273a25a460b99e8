import { Card, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { sessionQuery } from '../client/session';
import { formatCredits } from '../ui/format';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Failure, Waiting } from '../ui/states';
import { marketplaceQuery } from '../ui/support';
import { Step } from '../ui/step';
import { LoginWay } from '../ui/login-way';
import { isolated } from '../ui/isolated';

/** What a new account does first, each with its page. */
export function WelcomePage() {
  const { data: profile, error } = useQuery(sessionQuery);
  if (error) return <Failure error={error} />;
  if (profile === undefined) return <Waiting />;
  if (profile === null)
    return (
      <Page title="Welcome">
        <LoginWay />
      </Page>
    );
  return (
    <Page
      title={`Welcome, ${isolated(profile.displayName)}`}
      subtitle="A call of an agent costs credits: 100 credits are one US dollar. You pay for calls that succeed."
    >
      <Card withBorder>
        <Stack gap="md">
          <FirstSteps sells={profile.role === 'developer'} />
        </Stack>
      </Card>
    </Page>
  );
}

function FirstSteps({ sells }: { sells: boolean }) {
  const security = useQuery(get('/v1/auth/security'));
  const balance = useQuery(get('/v1/billing/balance'));
  const fee = useQuery(marketplaceQuery).data?.registration_fee_credits;
  const credits = balance.data?.available_credits ?? 0;
  return (
    <>
      <Step
        done={security.data?.email_confirmed === true}
        title="Confirm your email address"
        note={`A mail to ${security.data?.email ?? 'your address'} has a link. Open it and press the button on its page.`}
      />
      <Step
        done={credits > 0}
        title="Add credits"
        note={
          sells && fee !== undefined
            ? `You need ${formatCredits(fee)} credits for the registration fee of sellers, which is paid once.`
            : 'The smallest amount is enough for a first call.'
        }
        doneNote={`You have ${formatCredits(credits)} credits.`}
        action={
          <LinkButton to="/wallet" search={{ add: '1', next: '/welcome' }} variant="default" size="xs">
            Add credits
          </LinkButton>
        }
      />
      {sells ? (
        <Step
          done={false}
          title="Publish your agent"
          note="The overview of selling leads through fee, first agent, payout method and tax form."
          action={
            <LinkButton to="/developer" variant="default" size="xs">
              Start selling
            </LinkButton>
          }
        />
      ) : (
        <Step
          done={false}
          title="Try an agent"
          note="Each agent has a form for its input and shows the price before you run it."
          action={
            <LinkButton to="/" variant="default" size="xs">
              Find agents
            </LinkButton>
          }
        />
      )}
      <Step
        done={(security.data?.api_keys ?? 0) > 0}
        title="Create an API key for your programs"
        note="Each agent's page has code with the address and the input of that agent."
        action={
          <LinkButton to="/keys" variant="default" size="xs">
            API keys
          </LinkButton>
        }
      />
    </>
  );
}
