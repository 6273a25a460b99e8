/** The sealing context of the client secret of an identity provider. */
export function providerContext(providerId: string): Record<string, string> {
  return { purpose: 'identity_provider', provider_id: providerId };
}
