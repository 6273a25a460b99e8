import type { Answer } from '../../client/http';
import { capabilitiesOf, changedCapabilities, jobMinutesOf, type Protocol } from './capability-values';

type Registration = NonNullable<Answer<'/v1/developer/agents/{agent_id}', 'get'>['registration']>;

/** What a person types into the form of an agent that is registered by its endpoint. */
export interface RegistrationValues {
  slug: string;
  name: string;
  description: string;
  endpointUrl: string;
  protocol: Protocol;
  /** What a call costs by: itself, its seconds, or 1,000 of its tokens. */
  model: 'per_call' | 'per_second' | 'per_token';
  /** Credits: of a call, a second, or 1,000 tokens. */
  price: number | string;
  /** Credits: the most that a metered call costs. */
  most: number | string;
  /** How long the endpoint may take. */
  seconds: number | string;
  isStreaming: boolean;
  /** The longest job, in minutes; empty for an endpoint that takes none. */
  jobMinutes: number | string;
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
  model: 'per_call',
  price: 1,
  most: 100,
  seconds: 30,
  isStreaming: false,
  jobMinutes: '',
  vertical: '',
  header: '',
  key: '',
  inputSchema: '',
  outputSchema: '',
};

const UNITS_PER_CREDIT = 100;
const MS_PER_SECOND = 1_000;
const textOf = (schema: unknown) => (schema ? JSON.stringify(schema, null, 2) : '');

/** The form of a registration that exists. A stored credential is never shown, so its fields are empty. */
export function valuesOf(registration: Registration): RegistrationValues {
  const { access_config: access, pricing } = registration;
  return {
    ...EMPTY_REGISTRATION,
    slug: registration.slug,
    name: registration.name,
    description: registration.description ?? '',
    endpointUrl: access.endpoint_url,
    protocol: access.protocol ?? 'http',
    ...(pricing
      ? {
          model: pricing.model,
          price: pricing.credits_per_second ?? pricing.credits_per_1k_tokens ?? '',
          most: pricing.max_credits_per_call ?? '',
        }
      : {
          price: access.price_per_call_units === null ? '' : access.price_per_call_units / UNITS_PER_CREDIT,
        }),
    seconds: registration.timeout_ms / MS_PER_SECOND,
    isStreaming: registration.capabilities?.streaming === true,
    jobMinutes: jobMinutesOf(registration.capabilities),
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

const unitsOf = ({ model, price }: RegistrationValues) =>
  price === '' || model !== 'per_call'
    ? {}
    : { price_per_call_units: Math.round(Number(price) * UNITS_PER_CREDIT) };

/** A metered price; nothing for a price of a call. */
function meteredOf({ model, price, most }: RegistrationValues) {
  if (model === 'per_call') return {};
  const rate = String(price);
  const rates = model === 'per_second' ? { credits_per_second: rate } : { credits_per_1k_tokens: rate };
  return { pricing: { model, ...rates, max_credits_per_call: Number(most) } };
}

const timeOf = ({ seconds }: RegistrationValues) => Math.round(Number(seconds) * MS_PER_SECOND);
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
    access_config: { endpoint_url: values.endpointUrl, protocol: values.protocol, ...unitsOf(values) },
    ...meteredOf(values),
    ...(values.seconds !== '' && { timeout_ms: timeOf(values) }),
    ...capabilitiesOf(values),
    ...credentialOf(values),
    ...(input && { input_schema: input }),
    ...(output && { output_schema: output }),
  };
}

/** The body of a change: what differs from `before`. An emptied field is removed. */
export function changedRegistration(before: RegistrationValues, values: RegistrationValues) {
  const differs = (field: keyof RegistrationValues) => before[field] !== values[field];
  const hasNewPrice = differs('model') || differs('price') || differs('most');
  const access = {
    ...(differs('endpointUrl') && { endpoint_url: values.endpointUrl }),
    ...(hasNewPrice && unitsOf(values)),
  };
  return {
    ...(differs('name') && { name: values.name }),
    ...(differs('description') && { description: values.description || null }),
    ...(differs('vertical') && { vertical: values.vertical || null }),
    ...(Object.keys(access).length > 0 && { access_config: access }),
    ...(hasNewPrice && meteredOf(values)),
    ...(differs('seconds') && { timeout_ms: values.seconds === '' ? null : timeOf(values) }),
    ...changedCapabilities(before, values),
    ...credentialOf(values),
    ...(differs('inputSchema') && { input_schema: schemaOf(values.inputSchema, 'input schema') ?? null }),
    ...(differs('outputSchema') && { output_schema: schemaOf(values.outputSchema, 'output schema') ?? null }),
  };
}
