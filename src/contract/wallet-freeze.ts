import { Type } from '@sinclair/typebox';
import { Credits, named, strictObject, Timestamp } from './common';

/** Why a wallet takes part in no call and no withdrawal. */
export const WalletFreeze = named(
  'WalletFreeze',
  strictObject({
    since: Timestamp,
    cause: Type.Union([Type.Literal('operator'), Type.Literal('debt')], {
      description: '`debt`: a payment was taken back; the freeze ends when top-ups have paid what is owed',
    }),
    owed_credits: Credits,
  }),
);
