/**
 * The form of each error on the standard binding (docs/mcp-and-a2a.md, "A2A errors"): before an answer, and in a
 * stream.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import express, { type Request, type RequestHandler } from 'express';
import { ERROR_CODES, type ErrorCode, MarketError } from '../../domain/errors';
import { httpStatus } from '../answers/http-status';
import { createContext } from '../identity/context';
import { callerOf, knowCaller } from './caller';
import { writeRestFault, writeRpcFault } from './faults';
import { createA2aHandler } from './handler';

/** Errors that the protocol, or its official library, defines: reason, code of JSON-RPC, status of HTTP+JSON. */
const OF_THE_PROTOCOL: Partial<Record<ErrorCode, [string, number, number]>> = {
  not_found: ['TASK_NOT_FOUND', -32_001, 404],
  unsupported_media_type: ['CONTENT_TYPE_NOT_SUPPORTED', -32_005, 400],
  validation_failed: ['INVALID_PARAMS', -32_602, 400],
  malformed_json: ['INVALID_PARAMS', -32_602, 400],
};

/** Codes of JSON-RPC by status; all others are -32600 below 500, and -32603 from there on. */
const ABOUT_CONTENT = [400, 402, 404, 409, 422];

interface Fault {
  code: number;
  message: string;
  status?: string;
  details?: { reason: string; domain: string }[];
  data?: { reason: string; domain: string }[];
}

let server: Server;
let url: string;
const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);

beforeAll(async () => {
  const fails = (code: ErrorCode) => () => Promise.reject(new MarketError(code));
  const at = { state: 'WORKING', stateAt: new Date(), lastSeq: 1 };
  const none = { message: null, output: undefined, errorCode: null, reason: null, usage: null };
  const view = { taskId: 't', contextId: 'c', traceId: 't', disputed: false, ...at, ...none };
  const handlerFor = (code: ErrorCode, inStream: boolean) =>
    createA2aHandler({
      origin: 'https://market.example.com',
      taskViews: { get: inStream ? () => Promise.resolve(view) : fails(code) },
      taskWatch: { next: fails(code) },
    } as never);
  const serve =
    (isRpc: boolean): RequestHandler =>
    (req, res) => {
      const [, , code, when] = req.path.split('/') as [string, string, ErrorCode, string];
      createContext(req, res, '0'.repeat(32));
      const refuse = (error: MarketError) => (isRpc ? writeRpcFault : writeRestFault)(res, error);
      const closed = new AbortController().signal;
      knowCaller({ principal: { userId: 'u' }, agentId: 'a', req, isRpc, closed, refuse } as never);
      const options = {
        requestHandler: handlerFor(code, when === 'stream'),
        userBuilder: (request: Request) => Promise.resolve(callerOf(request)),
      };
      req.url = isRpc ? '/' : `/tasks/t${when === 'stream' ? ':subscribe' : ''}`;
      (isRpc ? jsonRpcHandler : restHandler)(options)(req, res, () => res.destroy());
    };
  const app = express();
  app.use(express.json());
  app.use((req, res, next) => serve(req.path.startsWith('/rpc/'))(req, res, next) as void);
  await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  log.mockRestore();
  server.closeAllConnections();
  server.close();
});

const V1 = { 'a2a-version': '1.0', 'content-type': 'application/json' };

async function asRest(code: ErrorCode, when: string): Promise<[number, Fault]> {
  const reply = await fetch(`${url}/rest/${code}/${when}`, { headers: V1 });
  return [reply.status, faultIn(await reply.text())];
}

async function asRpc(code: ErrorCode, when: string): Promise<[number, Fault]> {
  const method = when === 'stream' ? 'SubscribeToTask' : 'GetTask';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { id: 't' } });
  const reply = await fetch(`${url}/rpc/${code}/${when}`, { method: 'POST', headers: V1, body });
  return [reply.status, faultIn(await reply.text())];
}

/** The error of a body, or of the last event of a stream. */
function faultIn(text: string): Fault {
  const json = text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: ') + 'data: '.length);
  return (JSON.parse(json) as { error: Fault }).error;
}

function expected(code: ErrorCode) {
  const protocol = OF_THE_PROTOCOL[code];
  if (protocol) {
    const [reason, rpc, status] = protocol;
    return { info: { reason, domain: 'a2a-protocol.org' }, rpc, status, rpcStatus: 200 };
  }
  const status = httpStatus(code);
  const ofContent = code !== 'malformed_request' && ABOUT_CONTENT.includes(status);
  const rpcStatus = code === 'malformed_request' ? 200 : status;
  const rpc = status >= 500 ? -32_603 : ofContent ? -32_602 : -32_600;
  return { info: { reason: code.toUpperCase(), domain: 'io.market' }, rpc, status, rpcStatus };
}

it.each(ERROR_CODES)('%s has its reason, domain and status in every form', async (code) => {
  const { info, rpc, status, rpcStatus } = expected(code);
  const [restStatus, rest] = await asRest(code, 'at-once');
  expect([restStatus, rest.code, rest.details]).toMatchObject([status, status, [info]]);
  expect(rest.status).not.toBe('UNKNOWN');
  const own = code === 'not_found' ? 'There is no such task, or you have no access to it.' : undefined;
  expect(rest.message).toBe(own ?? new MarketError(code).message);
  const [answered, fault] = await asRpc(code, 'at-once');
  expect([answered, fault.code, fault.data]).toMatchObject([rpcStatus, rpc, [info]]);
  const [begun, restFault] = await asRest(code, 'stream');
  expect([begun, restFault.code, restFault.details]).toMatchObject([200, status, [info]]);
  expect(restFault.status).not.toBe('UNKNOWN');
  const [alsoBegun, rpcFault] = await asRpc(code, 'stream');
  expect([alsoBegun, rpcFault.code, rpcFault.data]).toMatchObject([200, rpc, [info]]);
});
