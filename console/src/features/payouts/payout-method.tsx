import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send, type Answer } from '../../client/http';
import { formatCredits, formatShare } from '../../ui/format';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';
import { marketplaceQuery } from '../../ui/support';
import { Detail } from './payout-detail';

type Method = Answer<'/v1/billing/developer/payout-method', 'get'>['method'];

type Terms = Answer<'/v1/marketplace', 'get'>['payout_methods'][number];

/** What each method asks for. The API validates it, and says which detail is wrong. */
const FIELDS: Record<Method, { label: string; details: Record<string, string> }> = {
  ach: {
    label: 'Bank transfer in the United States',
    details: {
      account_holder_name: 'Account holder',
      routing_number: 'Routing number',
      account_number: 'Account number',
      account_type: 'Account type',
    },
  },
  swift: {
    label: 'International bank transfer',
    details: {
      account_holder_name: 'Account holder',
      bic: 'BIC',
      iban: 'IBAN, or leave empty and give an account number',
      account_number: 'Account number',
      country: 'Country',
      town: 'Town',
    },
  },
  upi: { label: 'UPI in India', details: { account_holder_name: 'Account holder', vpa: 'UPI address' } },
  usdc: { label: 'USDC on Base', details: { address: 'Address', network: 'Network' } },
};

/** "Paid in INR from 500 credits on, without a fee, at 0.5% below the exchange rate of the day. …" */
function termsText({ currency, minimum_credits: minimum, fee_credits: fee, ...terms }: Terms): string {
  const { conversion_percent: percent, processing_time: time } = terms;
  const cost = fee === 0 ? 'without a fee' : `for a fee of ${formatCredits(fee)} credits`;
  const rate = percent === 0 ? '' : `, at ${formatShare(percent / 100)} below the exchange rate of the day`;
  return `Paid in ${currency} from ${formatCredits(minimum)} credits on, ${cost}${rate}. Time until it arrives: ${time}.`;
}

/** Of an international transfer, one of these is given. */
const OPTIONAL: ReadonlySet<string> = new Set(['iban', 'account_number']);

/** Sets where payouts go. */
export function PayoutMethodForm({ label }: { label: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const offered = useQuery(marketplaceQuery).data?.payout_methods ?? [];
  const [chosen, setMethod] = useState<Method>();
  const method = chosen ?? offered[0]?.method ?? 'ach';
  const terms = offered.find((one) => one.method === method);
  const [details, setDetails] = useState<Record<string, string>>({});
  const [code, setCode] = useState('');
  const mutation = useMutation({
    mutationFn: () => {
      const wanted = Object.keys(FIELDS[method].details).map(
        (name) => [name, details[name]?.trim()] as const,
      );
      return send('put', '/v1/billing/developer/payout-method', {
        body: {
          method,
          details: Object.fromEntries(wanted.filter(([, value]) => value)) as Record<string, string>,
          ...(code ? { totp_code: code } : {}),
        },
      });
    },
    onSuccess: () => {
      close();
      return queries.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).startsWith('/v1/billing/developer'),
      });
    },
  });
  const needsCode = mutation.error instanceof ApiError && mutation.error.code === 'second_factor_required';
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {label}
      </Button>
      <FormModal
        opened={opened}
        onClose={close}
        title="Payout method"
        action="Save"
        mutation={mutation}
        disabled={offered.length === 0}
        fields={Object.keys(FIELDS[method].details).map((name) => `details.${name}`)}
      >
        <Select
          label="Method"
          data={offered.map(({ method: value }) => ({ value, label: FIELDS[value].label }))}
          description={terms && termsText(terms)}
          value={method}
          onChange={(value) => value && setMethod(value as Method)}
          allowDeselect={false}
        />
        {Object.entries(FIELDS[method].details).map(([name, label]) => (
          <Detail
            key={name}
            name={name}
            label={label}
            value={details[name] ?? ''}
            onChange={(value) => setDetails((before) => ({ ...before, [name]: value }))}
            error={problemOf(mutation.error, `details.${name}`)}
            required={!OPTIONAL.has(name) || method !== 'swift'}
          />
        ))}
        {(needsCode || code) && (
          <TextInput
            label="Code of your authenticator app"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
          />
        )}
      </FormModal>
    </>
  );
}
