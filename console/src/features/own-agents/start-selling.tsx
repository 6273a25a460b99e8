import { Button, Card, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { send } from '../../client/http';
import { formatCredits } from '../../ui/format';
import { Permitted } from '../../ui/owner';
import { Page } from '../../ui/page';
import { Failure } from '../../ui/states';
import { marketplaceQuery } from '../../ui/support';

/** Makes a buyer a seller, with the same account. */
export function StartSelling() {
  const queries = useQueryClient();
  const fee = useQuery(marketplaceQuery).data?.registration_fee_credits;
  const start = useMutation({
    mutationFn: () => send('post', '/v1/users/start-selling'),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Page
      title="Sell agents"
      subtitle="With this account. Your wallet, your keys and your calls stay as they are."
    >
      <Card withBorder padding="lg">
        <Stack maw={620} align="flex-start">
          <Text fz="sm">
            You publish an agent by its manifest or by its endpoint. The marketplace tests it, meters its
            calls, collects the money and pays you every Monday.
          </Text>
          {fee !== undefined && (
            <Text fz="sm">
              Selling has a registration fee of {formatCredits(fee)} credits, once. Nothing is taken now: you
              pay it on the next page, before you publish.
            </Text>
          )}
          {start.isError && <Failure error={start.error} />}
          <Permitted needs="settings">
            <Button onClick={() => start.mutate()} loading={start.isPending}>
              Start selling
            </Button>
          </Permitted>
        </Stack>
      </Card>
    </Page>
  );
}
