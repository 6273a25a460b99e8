import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Failure, problemOf } from '../../ui/states';
import { EndpointFields, ShownFields } from './registration-fields';
import { PriceFields, TimeFields } from './registration-terms';
import type { RegistrationValues } from './registration-values';

interface RegistrationFormProps {
  initial: RegistrationValues;
  /** True for an agent that exists: name in addresses and protocol cannot change. */
  isChange: boolean;
  /** Whether a credential for the endpoint is stored. */
  hasCredential?: boolean;
  action: string;
  /** Hears what is typed. */
  onChange?: (values: RegistrationValues) => void;
  mutation: { mutate: (values: RegistrationValues) => void; isPending: boolean; error: unknown };
}

const FIELDS = [
  'slug',
  'name',
  'description',
  'vertical',
  'access_config.endpoint_url',
  'access_config.price_per_call_units',
  'pricing.credits_per_second',
  'pricing.credits_per_1k_tokens',
  'pricing.max_credits_per_call',
  'timeout_ms',
  'capabilities',
  'capabilities.jobs.max_seconds',
  'upstream_auth.header',
  'upstream_auth.key',
  'input_schema',
  'output_schema',
];

/** An agent by its endpoint: what buyers read, where calls go, what they cost. */
export function RegistrationForm({
  initial,
  isChange,
  hasCredential,
  action,
  onChange,
  mutation,
}: RegistrationFormProps) {
  const [values, setValues] = useState(initial);
  const set = (change: Partial<RegistrationValues>) => {
    const next = { ...values, ...change };
    setValues(next);
    onChange?.(next);
  };
  const problem = (field: string) => problemOf(mutation.error, field);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(values);
      }}
    >
      <Stack maw={620}>
        <ShownFields values={values} set={set} problem={problem} isChange={isChange} />
        <PriceFields values={values} set={set} problem={problem} />
        <EndpointFields
          values={values}
          set={set}
          problem={problem}
          isChange={isChange}
          hasCredential={hasCredential === true}
        />
        <TimeFields values={values} set={set} problem={problem} />
        {(['input', 'output'] as const).map((side) => (
          <Textarea
            key={side}
            label={`JSON Schema of the ${side}`}
            description={
              side === 'input'
                ? 'Buyers get a form made of it; without one, any JSON object is accepted'
                : 'Needed with that of the input. Answers that do not fit fail and cost nothing'
            }
            value={side === 'input' ? values.inputSchema : values.outputSchema}
            onChange={({ currentTarget: { value } }) =>
              set(side === 'input' ? { inputSchema: value } : { outputSchema: value })
            }
            error={problem(`${side}_schema`)}
            autosize
            minRows={3}
            maxRows={16}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
        ))}
        {mutation.error !== null && <Failure error={mutation.error} fields={FIELDS} />}
        <Group>
          <Button type="submit" loading={mutation.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
