import type { components } from '../../packages/client/src/api-types.d.ts';

/** A value of the API by the name of its schema, as the typed client has it: `Schema<'Payment'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
