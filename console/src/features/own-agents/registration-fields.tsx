import { Group, PasswordInput, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import type { Protocol } from './capability-values';
import type { FieldsProps } from './registration-terms';

interface PartProps extends FieldsProps {
  isChange: boolean;
}

/** What buyers read. */
export function ShownFields({ values, set, problem, isChange }: PartProps) {
  return (
    <>
      <TextInput
        label="Name"
        value={values.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        error={problem('name')}
        required
      />
      {!isChange && (
        <TextInput
          label="Name in addresses"
          description="Small letters, digits and hyphens, such as invoice-reader; it cannot change"
          value={values.slug}
          onChange={({ currentTarget: { value } }) => set({ slug: value })}
          error={problem('slug')}
          required
        />
      )}
      <Textarea
        label="Description"
        description="What the agent does, for the people who search"
        value={values.description}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
        error={problem('description')}
        autosize
        minRows={2}
      />
      <TextInput
        label="Field of work"
        description="A label of your choice, such as accounting"
        value={values.vertical}
        onChange={({ currentTarget: { value } }) => set({ vertical: value })}
        error={problem('vertical')}
      />
    </>
  );
}

/** Where calls go, and by which credential. */
export function EndpointFields({
  values,
  set,
  problem,
  isChange,
  hasCredential,
}: PartProps & { hasCredential: boolean }) {
  return (
    <>
      {!isChange && (
        <div>
          <Text fz="sm" fw={500} mb={4} id="protocol">
            The endpoint speaks
          </Text>
          <SegmentedControl
            aria-labelledby="protocol"
            value={values.protocol}
            onChange={(protocol) => set({ protocol: protocol as Protocol })}
            data={[
              { value: 'http', label: 'HTTP' },
              { value: 'mcp', label: 'MCP' },
              { value: 'a2a', label: 'A2A' },
            ]}
          />
        </div>
      )}
      <TextInput
        label={values.protocol === 'a2a' ? 'Address of the agent card' : 'Address of the endpoint'}
        description="An HTTPS address on a public host; buyers never see it"
        type="url"
        placeholder="https://agent.example.com/run"
        value={values.endpointUrl}
        onChange={({ currentTarget: { value } }) => set({ endpointUrl: value })}
        error={problem('access_config.endpoint_url')}
        required
      />
      <Group grow align="flex-start">
        <TextInput
          label="Header of its credential"
          description="Default: Authorization"
          value={values.header}
          onChange={({ currentTarget: { value } }) => set({ header: value })}
          error={problem('upstream_auth.header')}
        />
        <PasswordInput
          label="Credential"
          description={
            hasCredential ? 'One is stored; empty keeps it' : 'Sent with each call; stored encrypted'
          }
          value={values.key}
          onChange={({ currentTarget: { value } }) => set({ key: value })}
          error={problem('upstream_auth.key')}
          autoComplete="off"
        />
      </Group>
    </>
  );
}
