import { Stack, Text } from '@mantine/core';
import type { ItemOf } from '../../client/queries';
import { formatWhole } from '../../ui/format';

type Key = ItemOf<'/v1/keys'>;

const text = ({ used, per_minute: most }: NonNullable<Key['rate_limits']>['requests'], what: string) =>
  `${formatWhole(used)} of ${formatWhole(most)} ${what}`;

/** What a key has used of its limits in the minute that runs. Only a key that may call agents has a limit of calls. */
export function Rates({ apiKey: { rate_limits: rates, scopes } }: { apiKey: Key }) {
  if (!rates) return null;
  return (
    <Stack gap={0}>
      <Text fz="xs" className="figures nowrap">
        {text(rates.requests, 'requests')}
      </Text>
      {scopes.includes('agents:invoke') && (
        <Text fz="xs" className="figures nowrap">
          {text(rates.invocations, 'calls')}
        </Text>
      )}
    </Stack>
  );
}
