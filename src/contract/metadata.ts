/** The metadata of a call, in requests and responses. */
import { type TSchema, Type } from '@sinclair/typebox';
import {
  type CallMetadata,
  METADATA_NAME_PATTERN,
  METADATA_VALUE_PATTERN,
  MOST_PAIRS,
  MOST_VALUE_LENGTH,
} from '../domain/calls/call-metadata';
import { named, text } from './common';

const pairs = (value: TSchema, more: Record<string, unknown> = {}) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: value, ...more });

export const Metadata = named(
  'Metadata',
  pairs(text({ minLength: 1, maxLength: MOST_VALUE_LENGTH, pattern: METADATA_VALUE_PATTERN }), {
    maxProperties: MOST_PAIRS,
    propertyNames: { pattern: METADATA_NAME_PATTERN },
    description:
      'Pairs of your own by which you find and sum your calls, such as a project or a customer. The agent does not get them',
    examples: [{ project: 'atlas' } satisfies CallMetadata],
  }),
);

/** That of a call. */
export const metadataOfCall = pairs(Type.String(), { description: 'The pairs that the call was made with' });
