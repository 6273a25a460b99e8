import { AgentId, named, Nullable, page, pageQuery, strictObject, Timestamp } from './common';
import { Listing } from './listings';
import { defineOperation } from './operation';

const tag = 'Accounts';
const auth = 'session';
const oneAgent = { path: '/v1/favourites/{agent_id}', tag, auth } as const;
const params = strictObject({ agent_id: AgentId });

const Favourite = named(
  'Favourite',
  strictObject({
    agent_id: AgentId,
    added_at: Timestamp,
    listing: Nullable(Listing),
  }),
);

export const listFavourites = defineOperation({
  id: 'listFavourites',
  permission: 'view',
  method: 'get',
  path: '/v1/favourites',
  tag,
  summary: 'List the agents that you marked as favourites, newest first',
  description: '`listing` is null while the agent cannot be called: it is suspended, or it is retired.',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Favourite) },
});

export const addFavourite = defineOperation({
  id: 'addFavourite',
  permission: 'view',
  method: 'put',
  ...oneAgent,
  summary: 'Mark an agent as a favourite',
  description:
    'Only you see it. An account has at most 100 favourites. A favourite that is there stays as it is.',
  params,
  responses: { 204: null },
  errors: ['not_found', 'invalid_state'],
});

export const removeFavourite = defineOperation({
  id: 'removeFavourite',
  permission: 'view',
  method: 'delete',
  ...oneAgent,
  summary: 'Remove an agent from your favourites',
  description: 'It also succeeds if the agent is none of them.',
  params,
  responses: { 204: null },
});

export const favouriteOperations = [listFavourites, addFavourite, removeFavourite];
