import type { TObject } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import type { InvocationWithOutput } from '../../../services/calls/invocation-views';
import type { ServingVersion } from '../../../services/catalogue/serving-version-cache';
import type { Era } from '../../../services/mcp/protocol';
import type { DividedMessage } from '../../bodies/divided-mcp';
import type { HandlerInput } from '../../bodies/handler-input';
import type { Principal } from '../../identity/principal';
import type { ClientOffer } from './client-offer';
import type { McpMessage, RpcId } from './protocol';
import type { McpReply, Piece } from './reply';
import type { ServerIdentity } from './results';

/** The server that answers a message: that of an agent, or that of the market. */
export interface McpServer {
  identity: ServerIdentity;
  /** The agent whose calls are visible here; undefined for the market, where all calls of the account are. */
  agentId: string | undefined;
  /** The calls reach an MCP server, whose tools report their failures themselves. */
  passesOn: boolean;
  /** The result of a call that has ended. `more` is added to its `_meta`. */
  ended(call: InvocationWithOutput, more?: Record<string, unknown>): Promise<Piece[]>;
}

/** A request that follows the rules of its era, to the server of an agent or to that of the market. */
export interface McpExchange {
  id: RpcId;
  message: McpMessage;
  era: Era;
  client: ClientOffer;
  server: McpServer;
  principal: Principal;
  traceId: string;
  hops: number;
  /** The input of a call, if the message has one. */
  prepared: DividedMessage;
  req: Request;
  res: Response;
  reply: McpReply;
  perform: HandlerInput<TObject, TObject, unknown>['perform'];
}

/** A request to the server of an agent. */
export interface McpRequest extends McpExchange {
  version: ServingVersion;
}
