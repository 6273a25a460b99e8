/**
 * The CDDL of the AI Catalog as a JSON Schema, written after the specification in Agent-Card/ai-catalog at e82016f.
 * Members that it does not name are refused, so that a misspelled one is found.
 */
const text = { type: 'string', minLength: 1 };
const time = { type: 'string', format: 'date-time' };
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };
const extensions = {
  type: 'object',
  propertyNames: { pattern: '^(https://|[a-z0-9-]+(\\.[a-zA-Z0-9-]+)+$)' },
};

const members = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  additionalProperties: false,
  properties: { ...required, ...optional },
});

const signature = members(
  { signer: text, profile: text, issuedAt: time, jws: { type: 'string', pattern: '^[\\w-]+\\.\\.[\\w-]+$' } },
  { expiresAt: time },
);
const subject = {
  ...members(
    { identifier: text, type: text },
    { digest, url: { type: 'string', pattern: '^https://' }, version: text },
  ),
  anyOf: [{ required: ['digest'] }, { required: ['url'] }],
};
const attestation = members({ type: text, uri: text }, { digest, description: text });
const trustManifest = {
  ...members(
    { contributor: { type: 'string', format: 'uri' } },
    { subject, signature, attestations: { type: 'array', minItems: 1, items: attestation }, extensions },
  ),
  dependentRequired: { signature: ['subject'] },
};
const entry = {
  ...members(
    { identifier: { type: 'string', format: 'uri' }, type: text },
    {
      displayName: text,
      description: text,
      tags: { type: 'array', items: { type: 'string' } },
      version: text,
      updatedAt: time,
      publisher: members({ identifier: text, displayName: text }),
      url: { type: 'string', format: 'uri' },
      data: {},
      digest,
      trustManifests: { type: 'array', minItems: 1, items: trustManifest },
    },
  ),
  oneOf: [{ required: ['url'] }, { required: ['data'] }],
};

export const AI_CATALOG_SCHEMA = members(
  { specVersion: { const: '1.0' }, entries: { type: 'array', items: entry } },
  { host: members({ displayName: text }, { identifier: text, documentationUrl: text }), signature },
);
