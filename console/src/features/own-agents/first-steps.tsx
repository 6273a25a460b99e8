import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { formatCredits } from '../../ui/format';
import { LinkButton } from '../../ui/link';
import { Permitted, useOwnerWords } from '../../ui/owner';
import { Step } from '../../ui/step';
import { marketplaceQuery } from '../../ui/support';

/** What comes before there is anything to pay out. */
export function FirstSteps({ isPaid }: { isPaid: boolean }) {
  const agents = useQuery(get('/v1/developer/agents', { query: { limit: 1 } }));
  return (
    <>
      <Fee isPaid={isPaid} />
      <Step
        done={(agents.data?.items.length ?? 0) > 0}
        title="Publish your first agent"
        note="By its manifest, or by its endpoint alone."
        action={
          <Permitted needs="agents">
            <Group gap="xs">
              <LinkButton to="/developer/publish" variant="default" size="xs">
                By its manifest
              </LinkButton>
              <LinkButton to="/developer/register" variant="default" size="xs">
                By its endpoint
              </LinkButton>
            </Group>
          </Permitted>
        }
      />
    </>
  );
}

function Fee({ isPaid }: { isPaid: boolean }) {
  const fee = useQuery(marketplaceQuery).data?.registration_fee_credits;
  const wallet = useQuery(get('/v1/billing/balance')).data?.available_credits;
  const owner = useOwnerWords();
  const isShort = fee !== undefined && wallet !== undefined && wallet < fee;
  const words = fee === undefined ? 'the fee' : `${formatCredits(fee)} credits`;
  const has = wallet === undefined ? '' : ` ${owner.Wallet} has ${formatCredits(wallet)} credits.`;
  return (
    <Step
      done={isPaid}
      title={`Pay the registration fee${fee === undefined ? '' : `: ${words}`}`}
      note={`Once, for any number of agents. It is taken from ${owner.wallet}.${has}`}
      action={
        isShort ? (
          <LinkButton to="/wallet" search={{ add: '1', next: '/developer' }} variant="default" size="xs">
            Add credits
          </LinkButton>
        ) : (
          <Permitted needs="money">
            <Ask
              action={`Pay ${words}${owner.fromWallet}`}
              question={`${words.charAt(0).toUpperCase()}${words.slice(1)} are taken from ${owner.wallet}, once. You can publish afterwards.${has}`}
              done="The fee is paid."
              run={() => send('post', '/v1/users/pay-registration')}
            />
          </Permitted>
        )
      }
    />
  );
}
