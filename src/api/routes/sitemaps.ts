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
import { ASKED_AGAIN, sendTagged } from '../answers/known-tag';
import type { RouteBinder } from '../binding/route';
import { docsPages } from '../documents/docs-pages';

export interface SitemapRouteDeps {
  config: Config;
  publicAgents: PublicAgents;
}

const XML = { 'Content-Type': 'application/xml; charset=utf-8' };
const OF_AGENTS = { ...XML, 'Cache-Control': ASKED_AGAIN };

/** GET /sitemap.xml and the sitemaps that it names. */
export function sitemapRoutes(binder: RouteBinder, { config, publicAgents }: SitemapRouteDeps): void {
  const { origin } = new URL(config.PUBLIC_ORIGIN);
  binder.bind(getSitemap, async (input) => sendTagged(input, await publicAgents.index(), OF_AGENTS));
  binder.bind(getPagesSitemap, ({ res }) => {
    const pages = ['/', '/docs/', ...docsPages()];
    res.set(XML).set({ 'Cache-Control': 'public, max-age=300' });
    res.end(sitemap(pages.map((page) => ({ address: `${origin}${page}` }))));
    return Promise.resolve(HANDLED);
  });
  binder.bind(getFirstAgentsSitemap, async (input) =>
    sendTagged(input, await publicAgents.firstSitemap(), OF_AGENTS),
  );
  binder.bind(getAgentsSitemap, async (input) =>
    sendTagged(input, await publicAgents.sitemapBehind(input.params.agent_id), OF_AGENTS),
  );
}
