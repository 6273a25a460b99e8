import type { TObject } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import type { ServingVersion } from '../../../services/catalogue/serving-version-cache';
import type { Era } from '../../../services/mcp/protocol';
import type { DividedMessage } from '../../bodies/divided-mcp';
import type { HandlerInput } from '../../bodies/handler-input';
import type { Principal } from '../../identity/principal';
import type { ClientOffer } from './client-offer';
import type { McpMessage, RpcId } from './protocol';
import type { McpReply } from './reply';

/** A request that follows the rules of its era. */
export interface McpRequest {
  id: RpcId;
  message: McpMessage;
  era: Era;
  client: ClientOffer;
  version: ServingVersion;
  principal: Principal;
  traceId: string;
  hops: number;
  /** The input of a tool call, if the message is one. */
  prepared: DividedMessage;
  req: Request;
  res: Response;
  reply: McpReply;
  perform: HandlerInput<TObject, TObject, unknown>['perform'];
}
