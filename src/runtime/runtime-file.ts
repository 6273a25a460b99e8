import { authorityFile } from './demonstration/demo-agents';
import { TOKEN } from './demonstration/demo-payments';
import { NAMESPACE } from './environment';
import type { StackSecrets } from './secrets';
import { urlsOf, type Stack } from './stack';

export interface PublishedAgent {
  agent_id: string;
  slug: string;
  price_credits: number;
}

/** Content of `runtime.json`: a running stack's addresses, for tools and tests. It contains passwords (mode 600). */
export interface RuntimeFile {
  api_url: string;
  temporal_address: string;
  temporal_ui_url: string;
  temporal_namespace: string;
  /** Connection of the app role. */
  postgres_url: string;
  ca_file: string;
  /** The sandbox of payments and its token; only with `--payments`. */
  payments_url?: string;
  payments_asset?: string;
  pid: number;
  accounts: StackSecrets['accounts'];
  agents: PublishedAgent[];
}

export function describeRuntime(stack: Stack, agents: PublishedAgent[]): RuntimeFile {
  const urls = urlsOf(stack);
  return {
    api_url: urls.api,
    temporal_address: urls.temporalAddress,
    temporal_ui_url: urls.temporalUi,
    temporal_namespace: NAMESPACE,
    postgres_url: urls.postgresApp,
    ca_file: authorityFile(stack.settings.home),
    ...(stack.payments && { payments_url: stack.payments.url, payments_asset: TOKEN }),
    pid: process.pid,
    accounts: stack.secrets.accounts,
    agents,
  };
}
