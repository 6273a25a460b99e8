/** Certificates for agents that developers run beside the local stack (ADR 0069). Production has no such authority. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { isAllowedAddress } from '../../egress/url-rules';
import { createPolicy, type PolicySettings } from '../../egress/policy';
import { issueLeafFor } from '../../kit/crypto/certificates';

const VALID_DAYS = 7;

export function createLocalCertificates(settings: PolicySettings & { LOCAL_AUTHORITY: string }) {
  const { LOCAL_AUTHORITY: folder } = settings;
  const policy = createPolicy(settings);
  return {
    /**
     * Certifies a P-256 public key (PEM, SPKI) for a loopback address and returns the certificate as PEM. It is valid
     * for 7 days. Throws `not_found` without an authority, 422 for an address that agents must not have and for other
     * keys.
     */
    async issue(host: string, publicKeyPem: string): Promise<string> {
      if (folder === '') throw new MarketError('not_found');
      const isLoopback = /^127(\.\d{1,3}){3}$/.test(host);
      const isAllowed = isLoopback && isAllowedAddress(host, ANY_PORT, policy);
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      const authority = { certPem: read('ca.pem'), keyPem: read('ca-key.pem') };
      const leaf = { ips: [isAllowed ? host : '127.0.0.1'], days: VALID_DAYS };
      const issued = await issueLeafFor(authority, leaf, publicKeyPem).catch(() => undefined);
      if (isAllowed && issued !== undefined) return issued;
      throw new MarketError('validation_failed', {
        detail: [
          ...(isAllowed
            ? []
            : [problem('host', 'must be a loopback address that this service may call, such as 127.77.0.5')]),
          ...(issued === undefined
            ? [problem('public_key', 'must be a P-256 public key as PEM (SPKI)')]
            : []),
        ],
      });
    },
  };
}

export type LocalCertificates = ReturnType<typeof createLocalCertificates>;

const ANY_PORT = 9_443;

function problem(field: string, msg: string): FieldProblem {
  return { loc: ['body', field], msg, type: field };
}
