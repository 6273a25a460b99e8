import { Button, Group, NumberInput, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { send } from '../../client/http';
import { FormModal } from '../../ui/form-modal';
import { formatCredits } from '../../ui/format';
import { useMoneyMutation } from '../../ui/money-mutation';
import { problemOf } from '../../ui/states';

/** Buys credits. The sandbox credits at once; a payment provider opens its own page. */
export function TopUp() {
  const [opened, { open, close }] = useDisclosure();
  const [amount, setAmount] = useState<number | string>(500);
  const [currency, setCurrency] = useState('INR');
  const mutation = useMoneyMutation({
    place: 'topup',
    body: { amountPaise: Math.round(Number(amount) * 100), currency },
    send: (body, headers) => send('post', '/v1/billing/topup', { body, headers }),
    onSuccess: (answer) => {
      if (answer.payment_url) location.assign(answer.payment_url);
      notifications.show({ message: `${formatCredits(answer.credits)} credits loaded.`, color: 'green' });
      close();
    },
  });
  return (
    <>
      <Button onClick={open}>Add credits</Button>
      <FormModal opened={opened} onClose={close} title="Add credits" action="Pay" mutation={mutation}>
        <Group align="flex-end" grow>
          <NumberInput
            label="Amount"
            value={amount}
            onChange={setAmount}
            min={1}
            decimalScale={2}
            required
            data-autofocus
            error={problemOf(mutation.error, 'amountPaise')}
          />
          <Select
            label="Currency"
            value={currency}
            onChange={(value) => value && setCurrency(value)}
            allowDeselect={false}
            data={['INR', 'USD']}
          />
        </Group>
        <Text fz="sm" c="dimmed">
          {currency === 'INR' ? 'One rupee is one credit.' : 'One US dollar is 100 credits.'} Credits do not
          expire.
        </Text>
      </FormModal>
    </>
  );
}
