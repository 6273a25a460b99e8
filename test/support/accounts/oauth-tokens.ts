/** Codes and tokens that a client obtains with the permission of a person. */
import { legacy } from '../protocols/mcp';
import type { TestMarket, TestUser } from '../market';
import { authorizeAddress, permit, pkce, post, type RawClient, resourceOf } from './oauth';

interface Pair {
  access: string;
  refresh: string;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export function tokenRequests(scene: {
  market: TestMarket;
  buyer: TestUser;
  client: RawClient;
  agentId: string;
}) {
  const { market, buyer, client, agentId } = scene;

  /** A code for the agent, or for another resource, and what redeems it. */
  async function obtainCode(scope?: string, resource = resourceOf(market, agentId)) {
    const { verifier, challenge } = pkce();
    const address = authorizeAddress(client, resource, challenge, { scope });
    const back = await permit(market, buyer, address);
    return {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      code_verifier: verifier,
    };
  }

  const redeem = (form: Record<string, string>) => post(market, '/oauth/token', form);
  const refresh = (token: string, more: Record<string, string> = {}) =>
    redeem({ grant_type: 'refresh_token', refresh_token: token, client_id: client.clientId, ...more });

  async function obtainTokens(scope?: string, resource?: string): Promise<Pair> {
    const { status, body } = await redeem(await obtainCode(scope, resource));
    expect([status, body]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    return { access: body['access_token'] as string, refresh: body['refresh_token'] as string };
  }

  const listTools = (token: string) => legacy(market, null, agentId, 'tools/list', {}, bearer(token));
  return {
    obtainCode,
    redeem,
    refresh,
    obtainTokens,
    listTools,
    worksAt: async (token: string) => (await listTools(token)).status,
    /** Moves the uses of all codes and tokens into the past, so that the grace of each is over. */
    endGrace: () =>
      market.owner.query(
        `UPDATE oauth_secrets SET used_at = used_at - interval '31 s' WHERE used_at IS NOT NULL`,
      ),
  };
}
