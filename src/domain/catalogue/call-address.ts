/** The address of a call: `<endpoint.url>/invoke` for manifest agents, the endpoint itself for self-hosted agents. */
export function callAddress(kind: string, endpointUrl: string): string {
  if (kind !== 'manifest') return endpointUrl;
  const url = new URL(endpointUrl);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/invoke`;
  return url.href;
}
