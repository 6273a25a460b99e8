import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../client/queries';
import { MoveBond } from '../features/bonds/move-bond';
import { Slashes } from '../features/bonds/slashes';
import { Withdrawals } from '../features/bonds/withdrawals';
import { formatCode, formatCredits } from '../ui/format';
import { Credits } from '../ui/money';
import { Figure, Page } from '../ui/page';
import { QueryView } from '../ui/query-view';
import { Waiting } from '../ui/states';
import { Time } from '../ui/time';

export function BondPage() {
  const query = useQuery(get('/v1/billing/developer/bond'));
  return (
    <Page title="Bond" subtitle="A bond backs your badge. It pays buyers back if an operator slashes it.">
      <QueryView query={query} waiting={<Waiting lines={2} height={96} />}>
        {(bond) => (
          <>
            {bond.shortfall && (
              <Alert
                color="red"
                variant="light"
                title={`${formatCredits(bond.shortfall.missing_credits)} credits are missing`}
              >
                Top up by <Time at={bond.shortfall.top_up_by} />, or your agents leave the search.
              </Alert>
            )}
            <Group align="stretch">
              <Figure name="Bond" note={bond.tier ? `Tier ${formatCode(bond.tier)}` : 'No tier yet'}>
                <Credits value={bond.bond_credits} />
              </Figure>
              <Figure name="Held for slashes">
                <Credits value={bond.slash_hold_credits} />
              </Figure>
            </Group>
            <Text fz="sm" c="dimmed">
              {bond.tiers
                .map(
                  ({ tier, minimum_credits: least }) =>
                    `${formatCode(tier)} from ${formatCredits(least)} credits`,
                )
                .join(' · ')}
            </Text>
            {bond.withdrawals.length > 0 && <Withdrawals withdrawals={bond.withdrawals} />}
          </>
        )}
      </QueryView>
      <MoveBond />
      <Slashes />
    </Page>
  );
}
