import { Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { CountrySelect } from '../../ui/country-select';
import { linesOfRates, ratesOfLines } from './rate-lines';

type Settings = Answer<'/v1/operator/tax-settings', 'get'>;
type Field = 'name' | 'address' | 'country' | 'tax_number' | 'registration_number' | 'email';

/** Sets who issues invoices, and the tax rates by country. */
export function TaxSettings() {
  const query = useQuery({ ...get('/v1/operator/tax-settings'), retry: false });
  if (query.isPending) return null;
  return <Form key={query.data?.settings_id ?? 'none'} before={query.data} />;
}

function Form({ before }: { before: Settings | undefined }) {
  const issuer = before?.issuer;
  const [values, setValues] = useState<Record<Field, string>>({
    name: issuer?.name ?? '',
    address: issuer?.address ?? '',
    country: issuer?.country ?? '',
    tax_number: issuer?.tax_number ?? '',
    registration_number: issuer?.registration_number ?? '',
    email: issuer?.email ?? '',
  });
  const [lines, setLines] = useState(linesOfRates(before?.rates ?? []));
  const rates = ratesOfLines(lines);
  const field = (name: Field) => ({
    value: values[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues({ ...values, [name]: value }),
  });
  const isFilled = [values.name, values.address, values.country, values.email].every((value) => value !== '');
  return (
    <Ask
      action="Issuer and taxes"
      question="For top-ups that are opened from now on. A tax comes on top of the price of the credits."
      reason="Reason"
      done="The issuer and the taxes are set."
      ready={isFilled && rates !== undefined}
      fields={
        <Stack gap="sm">
          <TextInput label="Issuer of invoices" required {...field('name')} />
          <Textarea label="Address" autosize minRows={2} required {...field('address')} />
          <CountrySelect
            value={values.country}
            onChange={(country) => setValues({ ...values, country })}
            required
          />
          <TextInput label="Tax number" {...field('tax_number')} />
          <TextInput label="Number in the company register" {...field('registration_number')} />
          <TextInput label="Email" type="email" required {...field('email')} />
          <Textarea
            label="Tax rates"
            description="A line for each country of buyers: DE VAT 19, or FR VAT 20 reverse for the reverse charge"
            autosize
            minRows={3}
            value={lines}
            onChange={(event) => setLines(event.currentTarget.value)}
            error={
              rates === undefined && 'Write each line as: country, name, percent, and reverse if it applies'
            }
          />
        </Stack>
      }
      run={(reason) =>
        send('put', '/v1/operator/tax-settings', {
          body: {
            issuer: {
              ...values,
              tax_number: values.tax_number || null,
              registration_number: values.registration_number || null,
            },
            rates: rates ?? [],
            reason,
          },
        })
      }
    />
  );
}
