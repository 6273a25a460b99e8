import { Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { formatRate } from '../../ui/format';
import { Time } from '../../ui/time';

type Terms = Answer<'/v1/marketplace', 'get'>['top_up'];
type Exchange = NonNullable<Terms['currencies'][number]['exchange']>;

/** The exchange rate of a currency without a fixed price, before the payment. */
export function Rate({ currency, exchange }: { currency: string; exchange: Exchange }) {
  return (
    <Text fz="sm" c="dimmed">
      {formatRate(exchange.rate)} {currency} for one US dollar, of <Time at={exchange.observed_at} />, less a
      spread of {exchange.spread_percent} %. If the rate gives fewer credits by then, nothing is paid.
    </Text>
  );
}
