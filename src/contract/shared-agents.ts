import { named, page, pageQuery, strictObject } from './common';
import { Listing } from './listings';
import { defineOperation } from './operation';

export const listSharedAgents = defineOperation({
  id: 'listSharedAgents',
  method: 'get',
  path: '/v1/shared-agents',
  tag: 'Listings',
  summary: 'List the private agents of others that you may call',
  description:
    'Search does not find them. The owner of an agent adds your account, or your organisation, to its audience.',
  auth: { scope: 'agents:read' },
  query: strictObject(pageQuery),
  responses: { 200: named('SharedAgentPage', strictObject(page(Listing).properties)) },
});
