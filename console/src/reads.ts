import { get, queryClient } from './client/queries';

type Params = Readonly<Record<string, string>>;

const READS: Readonly<Record<string, (params: Params) => void>> = {
  '/agents/$agentId': ({ agentId = '' }) => {
    const path = { agent_id: agentId };
    void queryClient.prefetchQuery(get('/v1/listings/{agent_id}', { path }));
    void queryClient.prefetchQuery(get('/v1/agents/{agent_id}/figures', { path }));
  },
  '/agents/$agentId/try': ({ agentId = '' }) => {
    void queryClient.prefetchQuery(get('/v1/listings/{agent_id}', { path: { agent_id: agentId } }));
  },
  '/developer/agents/$agentId': ({ agentId = '' }) => {
    const path = { agent_id: agentId };
    void queryClient.prefetchQuery(get('/v1/developer/agents/{agent_id}', { path }));
    void queryClient.prefetchQuery(get('/v1/developer/agents/{agent_id}/visibility', { path }));
    void queryClient.prefetchQuery(get('/v1/agents/{agent_id}/analytics', { path }));
    const findings = { path, query: { limit: 50 } };
    void queryClient.prefetchQuery(get('/v1/developer/agents/{agent_id}/findings', findings));
  },
};

/** Asks for what a page reads first, so that it comes while the code of the page is loaded. */
export function readFor(path: string, params: Params): void {
  READS[path]?.(params);
}
