import type { Config } from '../../config';
import { getAiCatalog, getAiCatalogPage, getDidDocument } from '../../contract/ai-catalog';
import { getAgentRegistration, getMarketRegistration } from '../../contract/agent-registration';
import { CATALOG_TYPE } from '../../domain/discovery/ai-catalog';
import type { AgentRegistrations } from '../../services/discovery/agent-registrations';
import type { AiCatalog } from '../../services/discovery/ai-catalog';
import { Answer } from '../answers/answer';
import { ASKED_AGAIN, sendTagged } from '../answers/known-tag';
import type { RouteBinder } from '../binding/route';

export interface AiCatalogRouteDeps {
  config: Config;
  aiCatalog: AiCatalog;
  agentRegistrations: AgentRegistrations;
}

const ANY_PAGE = { 'Access-Control-Allow-Origin': '*' };
const CATALOG = { 'Cache-Control': ASKED_AGAIN, ...ANY_PAGE, 'Content-Type': CATALOG_TYPE };
const DID = { 'Cache-Control': 'public, max-age=60', ...ANY_PAGE };

/**
 * GET /.well-known/ai-catalog.json, its further pages, the DID document by which they are verified, and the
 * registration files of ERC-8004.
 */
export function aiCatalogRoutes(binder: RouteBinder, deps: AiCatalogRouteDeps): void {
  const { config, aiCatalog, agentRegistrations } = deps;
  binder.bind(getAiCatalog, async (input) => sendTagged(input, await aiCatalog.root(), CATALOG));
  const ofPage = config.PUBLIC_READS ? CATALOG : { 'Content-Type': CATALOG_TYPE };
  binder.bind(getAiCatalogPage, async (input) =>
    sendTagged(input, await aiCatalog.page(input.params.agent_id), ofPage),
  );
  binder.bind(getDidDocument, async () => new Answer(await aiCatalog.didDocument(), { headers: DID }));
  const headers = { 'Cache-Control': ASKED_AGAIN, ...ANY_PAGE };
  binder.bind(getMarketRegistration, () =>
    Promise.resolve(new Answer(agentRegistrations.market(), { headers })),
  );
  binder.bind(
    getAgentRegistration,
    async ({ params }) => new Answer(await agentRegistrations.of(params.agent_id), { headers }),
  );
}
