import type { Response } from 'express';
import type { Config } from '../../config';
import {
  getAgentsSitemap,
  getFirstAgentsSitemap,
  getPagesSitemap,
  getSitemap,
} from '../../contract/sitemaps';
import { sitemap } from '../../domain/discovery/sitemap';
import type { PublicAgents } from '../../services/discovery/public-agents';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { docsPages } from '../documents/docs-pages';

export interface SitemapRouteDeps {
  config: Config;
  publicAgents: PublicAgents;
}

/** GET /sitemap.xml and the sitemaps that it names. */
export function sitemapRoutes(binder: RouteBinder, { config, publicAgents }: SitemapRouteDeps): void {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  binder.bind(getSitemap, async ({ res }) => sendXml(res, await publicAgents.index()));
  binder.bind(getPagesSitemap, ({ res }) => {
    const pages = ['/', '/docs/', ...docsPages()];
    return Promise.resolve(sendXml(res, sitemap(pages.map((page) => ({ address: `${origin}${page}` })))));
  });
  binder.bind(getFirstAgentsSitemap, async ({ res }) => sendXml(res, await publicAgents.firstSitemap()));
  binder.bind(getAgentsSitemap, async ({ params, res }) =>
    sendXml(res, await publicAgents.sitemapBehind(params.agent_id)),
  );
}

function sendXml(res: Response, xml: string): typeof HANDLED {
  res.setHeader('Content-Type', 'application/xml; charset=utf-8');
  res.setHeader('Cache-Control', 'public, max-age=300');
  res.end(xml);
  return HANDLED;
}
