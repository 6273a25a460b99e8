import { Type } from '@sinclair/typebox';
import { PROOF_METHODS } from '../domain/catalogue/ownership';
import { named, Nullable, strictObject, Timestamp, enumOf } from './common';

/** Proof that the host of the endpoint is the owner's (ADR 0208, ADR 0416). */
export const Ownership = named(
  'EndpointOwnership',
  strictObject(
    {
      host: Type.String({ description: 'Host and port of the newest version’s endpoint' }),
      status: enumOf(['unproven', 'proven'], 'A proof belongs to the agent and the origin of the endpoint'),
      method: Nullable(
        enumOf(
          [...PROOF_METHODS, 'loopback'],
          'How it was proven; `loopback`: needs no proof, in development',
        ),
      ),
      proven_at: Nullable(Timestamp),
      checked_at: Nullable(
        Type.String({
          format: 'date-time',
          description:
            'When the proof was last found. Each run looks for it again, and ends it if it was last found 30 days ago',
        }),
      ),
      token: Type.String({
        description: 'Of this agent and this endpoint URL; another URL has another token',
      }),
      file_url: Type.String({ description: 'A file here that has the token on a line proves ownership' }),
      dns_name: Nullable(
        Type.String({ description: 'So does a TXT record here that is the token; null for an IP address' }),
      ),
      challenge_url: Nullable(
        Type.String({
          description:
            'An agent with a manifest proves ownership by its signed answer to a signed challenge here; null for others',
        }),
      ),
      header: Type.String({
        description: 'So does this header, with the token, on the answer of the endpoint to GET',
      }),
    },
    {
      description:
        'Without a proof, a host is verified once, by at most eleven requests, and the agent gets no badge',
    },
  ),
);
