import { AgentId, IfNoneMatch, strictObject } from './common';
import { defineOperation } from './operation';

const tag = 'Discovery';
const xml = (description: string) => ({ 200: { mediaType: 'application/xml', description } });

export const getSitemap = defineOperation({
  id: 'getSitemap',
  method: 'get',
  path: '/sitemap.xml',
  tag,
  summary: 'Get the index of sitemaps',
  description:
    'The sitemap of the pages of the market, and those of the public pages of agents, 5,000 in each. Without agents while ' +
    'PUBLIC_READS is off.',
  auth: 'public',
  headers: IfNoneMatch,
  responses: { ...xml('A sitemap index (sitemaps.org, 0.9)'), 304: null },
});

export const getPagesSitemap = defineOperation({
  id: 'getPagesSitemap',
  method: 'get',
  path: '/sitemap/pages.xml',
  tag,
  summary: 'Get the sitemap of the documentation',
  auth: 'public',
  responses: xml('A sitemap'),
});

export const getFirstAgentsSitemap = defineOperation({
  id: 'getFirstAgentsSitemap',
  method: 'get',
  path: '/sitemap/agents.xml',
  tag,
  summary: 'Get the sitemap of the first agents',
  auth: 'public',
  headers: IfNoneMatch,
  responses: { ...xml('A sitemap'), 304: null },
  errors: ['not_found'],
});

export const getAgentsSitemap = defineOperation({
  id: 'getAgentsSitemap',
  method: 'get',
  path: '/sitemap/{agent_id}.xml',
  tag,
  summary: 'Get the sitemap of the agents behind one',
  auth: 'public',
  params: strictObject({ agent_id: AgentId }),
  headers: IfNoneMatch,
  responses: { ...xml('A sitemap'), 304: null },
  errors: ['not_found'],
});

export const sitemapOperations = [
  getSitemap,
  getPagesSitemap,
  getFirstAgentsSitemap,
  getAgentsSitemap,
] as const;
