import type { McpExchange, McpServer } from '../wire/mcp-request';
import type { ServerIdentity } from '../wire/results';
import { readPieces } from './call-state';

/** What the market's own server says about itself. The version is that of its tools. */
const IDENTITY: ServerIdentity = { agentId: 'market', displayName: 'Market of agents', version: '1.0.0' };

/** Clients may ask for tasks of the calls of all agents. */
export const MARKET_JOBS = {};

/** The server of a message to the market. Its tools show all calls of the account, in one form. */
export function marketServer({ era, perform }: Pick<McpExchange, 'era' | 'perform'>): McpServer {
  const server: McpServer = {
    identity: IDENTITY,
    agentId: undefined,
    passesOn: false,
    ended: (call, more) => readPieces({ era, perform, server }, call, more ? { more } : {}),
  };
  return server;
}
