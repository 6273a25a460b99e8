import { Alert, Button, Checkbox, Group, NumberInput, Select, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { formatCredits, formatMinor } from '../../ui/format';
import { useMoneyMutation } from '../../ui/money-mutation';
import { Permitted, useMay, useOwnerWords } from '../../ui/owner';
import { useChangeSearch, useSearchValue } from '../../ui/params';
import { problemOf } from '../../ui/states';
import { marketplaceQuery } from '../../ui/support';
import { amountIn, isWithin, minorOf } from './amounts';
import { Rate } from './top-up-rate';

type Terms = Answer<'/v1/marketplace', 'get'>['top_up'];
type Tax = NonNullable<Answer<'/v1/billing/details', 'get'>['top_up_tax']>;
const BEGIN = { amount: 10, currency: 'USD' };

/** Buys credits. The sandbox credits at once; a payment provider opens its own page. */
export function TopUp() {
  const change = useChangeSearch();
  const may = useMay('money');
  const opened = useSearchValue('add') !== undefined;
  const terms = useQuery(marketplaceQuery).data?.top_up;
  const tax = useQuery({ ...get('/v1/billing/details'), enabled: opened }).data?.top_up_tax;
  return (
    <>
      <Permitted needs="money">
        <Button onClick={() => change({ add: '1' })}>Add credits</Button>
      </Permitted>
      {terms && may && (
        <Dialog terms={terms} tax={tax} opened={opened} close={() => change({ add: null, next: null })} />
      )}
    </>
  );
}

interface DialogProps {
  terms: Terms;
  tax: Tax | undefined;
  opened: boolean;
  close: () => void;
}

function Dialog({ terms, tax, opened, close }: DialogProps) {
  const navigate = useNavigate();
  const { toWallet } = useOwnerWords();
  const next = useSearchValue('next');
  const [{ amount, currency }, setValues] = useState<{ amount: number | string; currency: string }>(BEGIN);
  const [saves, setSaves] = useState(false);
  const chosen = terms.currencies.find((one) => one.currency === currency);
  const rates = Object.fromEntries(terms.currencies.map((one) => [one.currency, one.credits_per_major]));
  const minor = minorOf(amount);
  const range = [terms.minimum_minor, terms.maximum_minor].map((limit) => formatMinor(limit, currency));
  const isRight = isWithin(minor, terms);
  const quote = useQuery({
    ...get('/v1/billing/topup/quote', { query: { amountPaise: minor, currency } }),
    enabled: isRight && chosen?.exchange !== undefined && chosen.exchange !== null,
  }).data;
  const quoted = quote?.currency === currency && quote.amount_minor === minor ? quote.credits : undefined;
  const mutation = useMoneyMutation({
    place: 'topup',
    body: {
      amountPaise: minor,
      currency,
      ...(saves && chosen?.saves_methods === true && { save_method: true }),
      ...(quoted !== undefined && { min_credits: quoted }),
    },
    send: (body, headers) => send('post', '/v1/billing/topup', { body, headers }),
    onSuccess: (answer) => {
      if (answer.payment_url) location.assign(answer.payment_url);
      else
        notifications.show({ message: `${formatCredits(answer.credits)} credits loaded.`, color: 'green' });
      if (next === undefined) close();
      else void navigate({ href: next.startsWith('/') ? next : '/' });
    },
  });
  const setCurrency = (wanted: string) =>
    setValues({ currency: wanted, amount: amountIn(amount, rates[currency] ?? 1, rates[wanted] ?? 1) });
  return (
    <FormModal
      opened={opened}
      onClose={close}
      title="Add credits"
      action={`${isRight && !tax ? `Pay ${formatMinor(minor, currency)}` : 'Pay'}${toWallet}`}
      mutation={mutation}
      disabled={!isRight}
      fields={['amountPaise', 'save_method']}
    >
      <Group align="flex-start" grow>
        <NumberInput
          label="Amount"
          value={amount}
          onChange={(value) => setValues({ amount: value, currency })}
          min={0}
          clampBehavior="none"
          decimalScale={2}
          required
          data-autofocus
          error={
            isRight || amount === '' ? problemOf(mutation.error, 'amountPaise') : `From ${range.join(' to ')}`
          }
        />
        <Select
          label="Currency"
          value={currency}
          onChange={(value) => value && setCurrency(value)}
          allowDeselect={false}
          data={terms.currencies.map((one) => one.currency)}
        />
      </Group>
      <Text fz="sm" role="status">
        {isRight
          ? `You get ${formatCredits(quoted ?? (minor / 100) * (rates[currency] ?? 0))} credits. `
          : ''}
        Credits do not expire. {isRight && tax ? taxText(tax, minor, currency) : ''}
      </Text>
      {chosen?.exchange && <Rate currency={currency} exchange={chosen.exchange} />}
      {chosen?.saves_methods && (
        <Checkbox
          label="Save the payment method for automatic top-ups"
          checked={saves}
          onChange={(event) => setSaves(event.currentTarget.checked)}
          error={problemOf(mutation.error, 'save_method')}
        />
      )}
      {terms.sandbox && (
        <Alert color="blue" variant="light">
          This is a sandbox: the credits are added at once, and no money is taken.
        </Alert>
      )}
    </FormModal>
  );
}

/** What comes on top of the price. The API rounds the tax; the page of the payment has the exact total. */
function taxText({ treatment, name, percent }: Tax, minor: number, currency: string): string {
  if (treatment === 'reverse_charge') return 'No tax is charged: you owe it yourself (reverse charge).';
  if (treatment === 'outside') return 'No tax is charged in your country.';
  const tax = Math.round((minor * percent) / 100);
  return `${name} of ${percent}% comes on top: about ${formatMinor(minor + tax, currency)} in all.`;
}
