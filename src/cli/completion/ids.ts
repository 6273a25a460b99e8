import type { MarketApi } from '../api-client';
import { connect, findAgent, type GlobalOptions } from '../connect';

/** An argument whose values are ids, in a command line. */
export interface Ids {
  /** The name of the argument or option. */
  name: string;
  /** The arguments before it. */
  args: readonly string[];
  flags: GlobalOptions;
  /** The verb buys: it takes the agents of others. */
  isBuyer: boolean;
}

/** The list that has the ids, and their field. `{}` stands for the first argument: `{agent}` for the id of an agent. */
type Source = readonly [path: string, field: string];

const SOURCES: Readonly<Record<string, Source>> = {
  agent: ['/v1/developer/agents', 'slug'],
  version: ['/v1/developer/agents/{agent}/versions', 'version'],
  finding: ['/v1/developer/agents/{agent}/findings', 'finding_id'],
  call: ['/v1/invocations', 'invocation_id'],
  invocation: ['/v1/invocations', 'invocation_id'],
  dispute: ['/v1/billing/disputes', 'dispute_id'],
  slash: ['/v1/billing/developer/slashes', 'slash_id'],
  payout: ['/v1/billing/developer/payouts', 'payout_id'],
  invoice: ['/v1/billing/invoices', 'invoice_id'],
  mandate: ['/v1/mandates', 'mandate_id'],
  grant: ['/v1/oauth/grants', 'grant_id'],
  session: ['/v1/auth/sessions', 'session_id'],
  owner: ['/v1/organisations', 'org_id'],
  notices: ['/v1/notices', 'notice_id'],
  webhook: ['/v1/webhooks', 'webhook_id'],
  delivery: ['/v1/webhooks/{}/deliveries', 'delivery_id'],
};
const LISTED: Source = ['/v1/listings', 'slug'];
/** As many as one page of any list has. */
const MOST = 100;

/** The newest ids that an argument can be; none if the marketplace does not answer, or no list has them. */
export async function idsOf({ name, args, flags, isBuyer }: Ids): Promise<string[]> {
  const source = name === 'agent' && isBuyer ? LISTED : SOURCES[name];
  if (!source) return [];
  const [path, field] = source;
  try {
    const api = connect(flags);
    const list = await withArgument(api, path, args[0] ?? '');
    const page = await api.call<{ items: Record<string, unknown>[] }>('GET', `${list}?limit=${MOST}`);
    return [...new Set(page.items.map((item) => String(item[field])))];
  } catch {
    return [];
  }
}

async function withArgument(api: MarketApi, path: string, argument: string): Promise<string> {
  if (path.includes('{agent}')) return path.replace('{agent}', await findAgent(api, argument));
  return path.replace('{}', encodeURIComponent(argument));
}
