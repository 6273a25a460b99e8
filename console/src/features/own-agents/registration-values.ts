import type { Answer } from '../../client/http';

type Registration = NonNullable<Answer<'/v1/developer/agents/{agent_id}', 'get'>['registration']>;

/** What a person types into the form of an agent that is registered by its endpoint. */
export interface RegistrationValues {
  slug: string;
  name: string;
  description: string;
  endpointUrl: string;
  protocol: 'http' | 'mcp';
  /** Credits. */
  price: number | string;
  vertical: string;
  header: string;
  key: string;
  inputSchema: string;
  outputSchema: string;
}

export const EMPTY_REGISTRATION: RegistrationValues = {
  slug: '',
  name: '',
  description: '',
  endpointUrl: '',
  protocol: 'http',
  price: 1,
  vertical: '',
  header: '',
  key: '',
  inputSchema: '',
  outputSchema: '',
};

const UNITS_PER_CREDIT = 100;
const textOf = (schema: unknown) => (schema ? JSON.stringify(schema, null, 2) : '');

/** The form of a registration that exists. A stored credential is never shown, so its fields are empty. */
export function valuesOf(registration: Registration): RegistrationValues {
  const { access_config: access } = registration;
  const units = access.price_per_call_units;
  return {
    ...EMPTY_REGISTRATION,
    slug: registration.slug,
    name: registration.name,
    description: registration.description ?? '',
    endpointUrl: access.endpoint_url,
    protocol: access.protocol ?? 'http',
    price: units === null ? '' : units / UNITS_PER_CREDIT,
    vertical: registration.vertical ?? '',
    inputSchema: textOf(registration.input_schema),
    outputSchema: textOf(registration.output_schema),
  };
}

/** Throws an error that says which schema is not JSON. */
function schemaOf(text: string, name: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`The ${name} is not valid JSON. ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}

const priceOf = ({ price }: RegistrationValues) =>
  price === '' ? {} : { price_per_call_units: Math.round(Number(price) * UNITS_PER_CREDIT) };
const credentialOf = ({ key, header }: RegistrationValues) =>
  key === '' ? {} : { upstream_auth: { key, ...(header === '' ? {} : { header }) } };

/** The body of a new registration. Empty fields are left out. */
export function newRegistration(values: RegistrationValues) {
  const input = schemaOf(values.inputSchema, 'input schema');
  const output = schemaOf(values.outputSchema, 'output schema');
  return {
    slug: values.slug,
    name: values.name,
    ...(values.description === '' ? {} : { description: values.description }),
    ...(values.vertical === '' ? {} : { vertical: values.vertical }),
    access_config: { endpoint_url: values.endpointUrl, protocol: values.protocol, ...priceOf(values) },
    ...credentialOf(values),
    ...(input && { input_schema: input }),
    ...(output && { output_schema: output }),
  };
}

/** The body of a change: what differs from `before`. An emptied field is removed. */
export function changedRegistration(before: RegistrationValues, values: RegistrationValues) {
  const differs = (field: keyof RegistrationValues) => before[field] !== values[field];
  const access = {
    ...(differs('endpointUrl') && { endpoint_url: values.endpointUrl }),
    ...(differs('price') && priceOf(values)),
  };
  return {
    ...(differs('name') && { name: values.name }),
    ...(differs('description') && { description: values.description || null }),
    ...(differs('vertical') && { vertical: values.vertical || null }),
    ...(Object.keys(access).length > 0 && { access_config: access }),
    ...credentialOf(values),
    ...(differs('inputSchema') && { input_schema: schemaOf(values.inputSchema, 'input schema') ?? null }),
    ...(differs('outputSchema') && { output_schema: schemaOf(values.outputSchema, 'output schema') ?? null }),
  };
}
