import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, send, type Answer } from '../../client/http';
import { CountrySelect } from '../../ui/country-select';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

type Method = Answer<'/v1/billing/developer/payout-method', 'get'>['method'];

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
const METHODS = Object.entries(FIELDS).map(([value, { label }]) => ({ value, label }));

/** Details with few values. */
const CHOICES: Record<string, { value: string; label: string }[]> = {
  account_type: [
    { value: 'checking', label: 'Checking' },
    { value: 'savings', label: 'Savings' },
  ],
  network: [{ value: 'base', label: 'Base' }],
};

interface DetailProps {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function Detail({ name, label, value, onChange, error }: DetailProps) {
  if (name === 'country') return <CountrySelect value={value} onChange={onChange} error={error} />;
  const choices = CHOICES[name];
  if (!choices)
    return (
      <TextInput
        label={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
      />
    );
  return (
    <Select
      label={label}
      data={choices}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
      error={error}
    />
  );
}

/** Sets where payouts go. */
export function PayoutMethodForm({ label }: { label: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [method, setMethod] = useState<Method>('ach');
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
      <FormModal opened={opened} onClose={close} title="Payout method" action="Save" mutation={mutation}>
        <Select
          label="Method"
          data={METHODS}
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
