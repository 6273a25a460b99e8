import type { Response } from 'express';
import type { Config } from '../../config';
import { getAiCatalog, getAiCatalogPage, getDidDocument } from '../../contract/ai-catalog';
import { CATALOG_TYPE } from '../../domain/discovery/ai-catalog';
import type { AiCatalog } from '../../services/discovery/ai-catalog';
import { Answer, HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';

export interface AiCatalogRouteDeps {
  config: Config;
  aiCatalog: AiCatalog;
}

const PUBLIC = { 'Cache-Control': 'public, max-age=60', 'Access-Control-Allow-Origin': '*' };

/** GET /.well-known/ai-catalog.json, its further pages, and the DID document by which they are verified. */
export function aiCatalogRoutes(binder: RouteBinder, { config, aiCatalog }: AiCatalogRouteDeps): void {
  binder.bind(getAiCatalog, async ({ res }) => sendCatalog(res, await aiCatalog.root(), PUBLIC));
  binder.bind(getAiCatalogPage, async ({ params, res }) =>
    sendCatalog(res, await aiCatalog.page(params.agent_id), config.PUBLIC_READS ? PUBLIC : {}),
  );
  binder.bind(
    getDidDocument,
    async () => new Answer(await aiCatalog.didDocument(), { headers: { ...PUBLIC } }),
  );
}

function sendCatalog(res: Response, catalog: string, headers: Record<string, string>): typeof HANDLED {
  res.set(headers).setHeader('Content-Type', CATALOG_TYPE);
  res.end(catalog);
  return HANDLED;
}
