import { Button, Card, Group, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { CountrySelect } from '../../ui/country-select';
import { Permitted } from '../../ui/owner';
import { Section } from '../../ui/page';
import { QueryView } from '../../ui/query-view';
import { Failure, problemOf } from '../../ui/states';

const details = get('/v1/billing/details');
type Details = Answer<'/v1/billing/details', 'get'>;
type Field = 'company' | 'address' | 'country' | 'tax_number' | 'receipts_email' | 'reference';
const FIELDS: readonly Field[] = [
  'company',
  'address',
  'country',
  'tax_number',
  'receipts_email',
  'reference',
];

/** What the invoices name the account by, besides its name. */
export function BillingDetails() {
  const query = useQuery(details);
  return (
    <Section
      title="Billing details"
      note="They stand on the invoices that follow. Invoices that were issued keep what they say."
    >
      <QueryView query={query}>{(data) => <DetailsForm before={data} />}</QueryView>
    </Section>
  );
}

function DetailsForm({ before }: { before: Details }) {
  const queries = useQueryClient();
  const [values, setValues] = useState(() => valuesOf(before));
  const change = useMutation({
    mutationFn: () => send('patch', '/v1/billing/details', { body: bodyOf(values) }),
    onSuccess: (changed) => {
      queries.setQueryData(details.queryKey, changed);
      setValues(valuesOf(changed));
      notifications.show({ message: 'Your billing details are changed.', color: 'green' });
    },
  });
  const field = (name: Field) => ({
    value: values[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setValues({ ...values, [name]: value }),
    error: problemOf(change.error, name),
  });
  const isSame = FIELDS.every((name) => values[name] === valuesOf(before)[name]);
  return (
    <Card withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
            <TextInput label="Company" autoComplete="organization" maxLength={120} {...field('company')} />
            <CountrySelect
              value={values.country}
              onChange={(country) => setValues({ ...values, country })}
              error={problemOf(change.error, 'country')}
              clearable
            />
            <Textarea
              label="Address"
              autoComplete="street-address"
              autosize
              minRows={3}
              maxLength={500}
              {...field('address')}
            />
            <Stack gap="sm">
              <TextInput
                label={before.tax_number_name ?? 'Tax number'}
                description="VAT number, GSTIN or the number of your country"
                maxLength={40}
                {...field('tax_number')}
              />
              <TextInput
                label="Email for receipts"
                description="Invoices name it, in place of the address that you log in with"
                type="email"
                autoComplete="email"
                maxLength={254}
                {...field('receipts_email')}
              />
              <TextInput
                label="Your reference"
                description="Such as the number of a purchase order"
                maxLength={100}
                {...field('reference')}
              />
            </Stack>
          </SimpleGrid>
          {change.isError && <Failure error={change.error} fields={FIELDS} />}
          <Group>
            <Permitted needs="money">
              <Button type="submit" variant="default" loading={change.isPending} disabled={isSame}>
                Save the details
              </Button>
            </Permitted>
            <Text fz="sm" c="dimmed">
              The form and the check digits of a tax number are checked, not whether it is registered.
            </Text>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

const valuesOf = (data: Details): Record<Field, string> =>
  Object.fromEntries(FIELDS.map((name) => [name, data[name] ?? ''])) as Record<Field, string>;

const bodyOf = (values: Record<Field, string>) =>
  Object.fromEntries(FIELDS.map((name) => [name, values[name] === '' ? null : values[name]]));
