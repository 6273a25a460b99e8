import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { CountrySelect } from '../../ui/country-select';
import { FormModal } from '../../ui/form-modal';
import { problemOf } from '../../ui/states';

type Kind = Answer<'/v1/billing/developer/tax-form', 'get'>['kind'];

const KINDS: { value: Kind; label: string }[] = [
  { value: 'w9', label: 'W-9: a person or company of the United States' },
  { value: 'w8ben', label: 'W-8BEN: a person elsewhere' },
  { value: 'w8bene', label: 'W-8BEN-E: a company elsewhere' },
];
const FIELDS = {
  legal_name: 'Legal name',
  tax_id: 'Tax identification number',
};

/** Sends the tax form that payouts require. */
export function TaxFormForm({ label }: { label: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [kind, setKind] = useState<Kind>('w8ben');
  const [values, setValues] = useState({ legal_name: '', country: '', tax_id: '' });
  const mutation = useMutation({
    mutationFn: () => send('put', '/v1/billing/developer/tax-form', { body: { kind, ...values } }),
    onSuccess: () => {
      close();
      return queries.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).startsWith('/v1/billing/developer'),
      });
    },
  });
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {label}
      </Button>
      <FormModal opened={opened} onClose={close} title="Tax form" action="Send the form" mutation={mutation}>
        <Select
          label="Form"
          data={KINDS}
          value={kind}
          onChange={(value) => value && setKind(value as Kind)}
          allowDeselect={false}
        />
        {(Object.keys(FIELDS) as (keyof typeof FIELDS)[]).map((name) => (
          <TextInput
            key={name}
            label={FIELDS[name]}
            value={values[name]}
            onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, [name]: value }))}
            error={problemOf(mutation.error, name)}
            required
          />
        ))}
        <CountrySelect
          value={values.country}
          onChange={(country) => setValues((before) => ({ ...before, country }))}
          error={problemOf(mutation.error, 'country')}
          required
        />
      </FormModal>
    </>
  );
}
