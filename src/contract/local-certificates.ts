import { Type } from '@sinclair/typebox';
import { strictObject, text } from './common';
import { defineOperation } from './operation';

/** For agents that run beside the local stack (ADR 0069). */
export const issueLocalCertificate = defineOperation({
  id: 'issueLocalCertificate',
  method: 'post',
  path: '/v1/developer/local-certificates',
  tag: 'Publishing',
  summary: 'Get a certificate for an agent on a loopback address',
  description:
    'For development: `npm start` certifies agents on addresses that it may call, such as 127.77.0.5. A service in ' +
    'production has no such authority and answers 404. The certificate is valid for 7 days.',
  auth: { scope: 'agents:publish' },
  roles: ['developer'],
  body: strictObject({
    host: text({ maxLength: 15, description: 'IPv4 loopback address of the agent' }),
    public_key: text({ maxLength: 1_000, description: 'P-256 public key of the agent: PEM, SPKI' }),
  }),
  responses: { 200: strictObject({ certificate: Type.String({ description: 'PEM' }) }) },
  errors: ['not_found'],
  examples: {
    request: {
      host: '127.77.0.5',
      public_key: '-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n',
    },
    response: { certificate: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n' },
  },
});
