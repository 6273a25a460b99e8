import { Type } from '@sinclair/typebox';
import { SHOWN_SIGNATURES } from '../domain/catalogue/cards/card-listing';

/** What the owner of an A2A agent reads of the signature of its card. */
export const CardSignature = Type.Optional(
  Type.Unsafe<(typeof SHOWN_SIGNATURES)[keyof typeof SHOWN_SIGNATURES]>({
    type: 'string',
    enum: Object.values(SHOWN_SIGNATURES),
    description:
      'Of an A2A agent: whether its card is signed by a key that its own host publishes (`valid`), by another one ' +
      '(`unknown_key`, which is not checked), or not at all',
  }),
);
