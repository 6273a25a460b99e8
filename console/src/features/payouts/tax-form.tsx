import { Button, Checkbox, Select, TextInput } from '@mantine/core';
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
  address: 'Permanent address: street, town, postal code',
  tax_id: 'Tax identification number',
  signed_by: 'Name of the person who signs',
};

/** What the forms of the tax authority let their signer declare. */
function declarationOf(kind: Kind): string {
  const person =
    kind === 'w9'
      ? 'the person or company named is of the United States and not subject to backup withholding'
      : 'the person or company named is not of the United States and is the beneficial owner of the payouts';
  return `I declare under penalties of perjury that ${person}, that the tax identification number is right, that everything above is true and complete, and that I may sign for the name above.`;
}

/** Sends the tax form that payouts require. */
export function TaxFormForm({ label }: { label: string }) {
  const queries = useQueryClient();
  const [opened, { open, close }] = useDisclosure();
  const [kind, setKind] = useState<Kind>('w8ben');
  const [values, setValues] = useState({
    legal_name: '',
    address: '',
    country: '',
    tax_id: '',
    signed_by: '',
  });
  const [isDeclared, setDeclared] = useState(false);
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
      <FormModal
        opened={opened}
        onClose={close}
        title="Tax form"
        action="Sign and send the form"
        mutation={mutation}
        fields={Object.keys(values)}
      >
        <Select
          label="Form"
          data={KINDS}
          value={kind}
          onChange={(value) => {
            if (value) setKind(value as Kind);
            setDeclared(false); // each form has a declaration of its own
          }}
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
        <Checkbox
          label={declarationOf(kind)}
          checked={isDeclared}
          onChange={({ currentTarget }) => setDeclared(currentTarget.checked)}
          required
        />
      </FormModal>
    </>
  );
}
