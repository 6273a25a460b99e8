import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { formatRate } from '../../ui/format';
import { Time } from '../../ui/time';

const RATE = /^[1-9][0-9]{0,6}(\.[0-9]{1,6})?$/;

/** Loads the rate of rupees for one dollar, which the payouts of the week use. */
export function LoadRate() {
  const [rate, setRate] = useState('');
  const latest = useQuery(get('/v1/operator/exchange-rates', { query: { limit: 1 } })).data?.items[0];
  return (
    <Ask
      action="Load a rate"
      question="Rupee payouts use the latest rate of the week before their Monday, less 0.5%."
      reason="Source, such as the bank or the page that publishes it"
      done="The rate is loaded."
      ready={RATE.test(rate)}
      fields={
        <TextInput
          label="Rupees for one US dollar"
          description={
            latest ? (
              <>
                Now {formatRate(latest.rate)}, of <Time at={latest.observed_at} />
              </>
            ) : (
              'No rate is loaded yet.'
            )
          }
          placeholder="84.123456"
          inputMode="decimal"
          value={rate}
          onChange={(event) => setRate(event.currentTarget.value.trim())}
          error={rate !== '' && !RATE.test(rate) && 'A number with a point and at most six decimals'}
          required
          data-autofocus
        />
      }
      run={(source) =>
        send('post', '/v1/operator/exchange-rates', {
          body: {
            pair: 'USD/INR',
            rate,
            observed_at: new Date().toISOString(),
            source: source.slice(0, 200),
          },
        })
      }
    />
  );
}
