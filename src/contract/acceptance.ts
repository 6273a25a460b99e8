/** The tests that a caller sets for the answer of a call (docs/acceptance.md). */
import { Type } from '@sinclair/typebox';
import { ACCEPTANCE_LIMITS, ASSERTION_OPS, type AssertionOp } from '../domain/calls/acceptance';
import { named, strictObject, text } from './common';

const Assertion = named(
  'AcceptAssertion',
  strictObject(
    {
      pointer: text({
        maxLength: ACCEPTANCE_LIMITS.pointer,
        description: 'JSON pointer (RFC 6901) into `output`; empty for all of it',
      }),
      op: Type.Unsafe<AssertionOp>({
        type: 'string',
        enum: [...ASSERTION_OPS],
        description:
          '`in`: equals a value of the list; `contains`: text within the text, or an item of the list; `exists`: `true` or `false`',
      }),
      value: Type.Unknown({ description: 'What the value at the pointer is compared with' }),
      tolerance: Type.Optional(
        Type.Number({ minimum: 0, description: 'By how much numbers may differ, for `eq` and `ne`' }),
      ),
    },
    {
      description: 'A test of one value of the answer. A value that is missing fails every test but `exists`',
    },
  ),
);

export const Accept = named(
  'Accept',
  strictObject(
    {
      schema: Type.Optional(
        Type.Object(
          {},
          { additionalProperties: true, description: 'JSON Schema draft 2020-12 that the answer must match' },
        ),
      ),
      assertions: Type.Optional(
        Type.Array(Assertion, { minItems: 1, maxItems: ACCEPTANCE_LIMITS.assertions }),
      ),
    },
    {
      minProperties: 1,
      description:
        'Tests of the answer, for agents with `capabilities.accepts_tests`: the call is paid only if the answer passes ' +
        'them all (docs/acceptance.md). At most 4 KiB',
    },
  ),
);

export const AcceptanceHeader = Type.Optional(
  Type.String({
    description:
      'The tests of the answer (`accept` of invoke) as a JSON object in ASCII, so other letters as \\u escapes',
  }),
);

/** The capability of agents that take such tests. */
export const AcceptsTests = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Buyers may set tests for the answer of a call (`accept`), which the agent gets before it works',
  }),
);
