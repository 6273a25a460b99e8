import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../../client/http';
import { creditsText, formatTime } from '../../ui/format';
import { Failure } from '../../ui/states';

/** The offer for one input, and whether a call by it is still possible. */
export function useQuote(agentId: string) {
  const asked = useMutation({
    mutationFn: async (input: Record<string, unknown>) => ({
      input: JSON.stringify(input),
      offer: await send('post', '/v1/agents/{agent_id}/quote', {
        path: { agent_id: agentId },
        body: { input },
      }),
    }),
  });
  return {
    ...asked,
    /** The quote for an input; undefined if there is none that holds. A quote buys one call. */
    spend(input: Record<string, unknown>): string | undefined {
      const { data } = asked;
      if (!data || data.input !== JSON.stringify(input) || new Date(data.offer.expires_at) <= new Date())
        return undefined;
      asked.reset();
      return data.offer.quote_id;
    },
  };
}

/** Asks what a call with the present input costs, and shows the offer. */
export function QuoteButton({
  quote,
  input,
}: {
  quote: ReturnType<typeof useQuote>;
  input: Record<string, unknown>;
}) {
  const { data, error, isPending, mutate } = quote;
  const offer = data?.input === JSON.stringify(input) ? data.offer : undefined;
  return (
    <>
      <Group gap="sm">
        <Button variant="default" size="compact-sm" loading={isPending} onClick={() => mutate(input)}>
          Price for this input
        </Button>
        {offer && (
          <Text fz="sm" role="status">
            {offer.price_credits === undefined
              ? `At most ${creditsText(offer.ceiling_credits ?? 0)}`
              : creditsText(offer.price_credits)}
            , for one call until {formatTime(offer.expires_at)}
          </Text>
        )}
      </Group>
      {error && <Failure error={error} />}
    </>
  );
}
