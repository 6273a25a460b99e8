import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { QueryView } from '../../ui/query-view';
import { Failure } from '../../ui/states';

const MAILS = get('/v1/notices/mails');
type Settings = Answer<'/v1/notices/mails', 'get'>;

const TOPICS: readonly (readonly [keyof Settings, label: string])[] = [
  ['disputes', 'Disputes of your calls and of calls of your agents'],
  ['bond', 'Slashes of your bond'],
  ['payouts', 'Payouts and tax forms'],
  ['agents', 'Verifications, findings and the visibility of your agents'],
  ['wallet', 'Freezes of your wallet, a low balance, and automatic top-ups that fail'],
  ['budgets', 'Budgets and caps that reach 80 % and 100 %'],
  ['keys', 'API keys that expire'],
  ['logins', 'Logins from networks that are new to your account'],
  ['webhooks', 'Webhooks that were disabled'],
  ['prices', 'Prices of agents that you use'],
];

/** About which notices the account gets mails. */
export function MailForm() {
  const query = useQuery(MAILS);
  return <QueryView query={query}>{(settings) => <Topics before={settings} />}</QueryView>;
}

function Topics({ before }: { before: Settings }) {
  const queries = useQueryClient();
  const [settings, setSettings] = useState(before);
  const change = useMutation({
    mutationFn: () => send('put', '/v1/notices/mails', { body: settings }),
    onSuccess: (now) => {
      queries.setQueryData(MAILS.queryKey, now);
      notifications.show({ message: 'Your choice of mails is saved.', color: 'green' });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Stack gap="sm" align="flex-start">
        <Text fz="sm">
          A notice is mailed with its deadline and a link. What you can answer is mailed again a day before
          its deadline. After five mails in 24 hours, further notices come in one mail a day.
        </Text>
        {TOPICS.map(([topic, label]) => (
          <Checkbox
            key={topic}
            label={label}
            checked={settings[topic]}
            onChange={({ currentTarget: { checked } }) => setSettings({ ...settings, [topic]: checked })}
          />
        ))}
        <Button
          type="submit"
          variant="default"
          loading={change.isPending}
          disabled={TOPICS.every(([topic]) => settings[topic] === before[topic])}
        >
          Change mails
        </Button>
        {change.isError && <Failure error={change.error} />}
      </Stack>
    </form>
  );
}
