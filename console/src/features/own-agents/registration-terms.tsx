import { Group, NumberInput, Select, Switch } from '@mantine/core';
import type { RegistrationValues } from './registration-values';

export interface FieldsProps {
  values: RegistrationValues;
  set: (change: Partial<RegistrationValues>) => void;
  problem: (field: string) => string | undefined;
}

const MODELS = [
  { value: 'per_call', label: 'each call', field: 'access_config.price_per_call_units', decimals: 2 },
  { value: 'per_second', label: 'each second', field: 'pricing.credits_per_second', decimals: 3 },
  { value: 'per_token', label: '1,000 tokens', field: 'pricing.credits_per_1k_tokens', decimals: 3 },
] as const;

/** What a call costs. */
export function PriceFields({ values, set, problem }: FieldsProps) {
  const model = MODELS.find(({ value }) => value === values.model) ?? MODELS[0];
  const number = { suffix: ' credits', hideControls: true, clampBehavior: 'none' } as const;
  return (
    <Group grow align="flex-start">
      <NumberInput
        label={model.value === 'per_call' ? 'Price of a call' : 'Price'}
        value={values.price}
        onChange={(price) => set({ price })}
        error={problem(model.field)}
        decimalScale={model.decimals}
        {...number}
      />
      <Select
        label="For"
        data={MODELS.map(({ value, label }) => ({ value, label }))}
        value={model.value}
        onChange={(value) => set({ model: (value ?? 'per_call') as RegistrationValues['model'] })}
        allowDeselect={false}
      />
      {model.value !== 'per_call' && (
        <NumberInput
          label="At most for a call"
          value={values.most}
          onChange={(most) => set({ most })}
          error={problem('pricing.max_credits_per_call')}
          decimalScale={0}
          {...number}
        />
      )}
    </Group>
  );
}

/** How long the endpoint may take, whether it answers in pieces, and whether it takes jobs. */
export function TimeFields({ values, set, problem }: FieldsProps) {
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput
          label="Time for an answer"
          description="1 to 300 seconds; a later answer fails and costs nothing"
          value={values.seconds}
          onChange={(seconds) => set({ seconds })}
          error={problem('timeout_ms')}
          decimalScale={3}
          suffix=" s"
          hideControls
          clampBehavior="none"
        />
        {values.protocol === 'http' && (
          <Switch
            label="Answers in pieces"
            description="Event streams or NDJSON"
            checked={values.isStreaming}
            onChange={({ currentTarget: { checked } }) => set({ isStreaming: checked })}
            error={problem('capabilities')}
            mt="xs"
          />
        )}
      </Group>
      {values.protocol === 'http' && (
        <NumberInput
          label="Longest job"
          description="1 to 10,080 minutes; empty if it takes no jobs"
          value={values.jobMinutes}
          onChange={(jobMinutes) => set({ jobMinutes })}
          error={problem('capabilities.jobs.max_seconds')}
          decimalScale={2}
          suffix=" min"
          hideControls
          clampBehavior="none"
        />
      )}
    </>
  );
}
