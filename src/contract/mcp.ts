import { MAX_COST_CREDITS } from '../domain/calls/cost-ceiling';
import { Type } from '@sinclair/typebox';
import { AgentId, named, strictObject, text } from './common';
import { Prefer } from './invocations';
import { defineOperation } from './operation';

const open = { additionalProperties: true };

/**
 * A JSON-RPC 2.0 request. This schema is for the document only; the endpoint validates messages by the rules of MCP.
 */
const Message = named(
  'McpMessage',
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
      method: Type.String({
        examples: ['initialize', 'tools/list', 'tools/call', 'tasks/get', 'server/discover'],
      }),
      params: Type.Optional(Type.Object({}, open)),
    },
    open,
  ),
);

const Reply = named(
  'McpReply',
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Union([Type.String(), Type.Integer(), Type.Null()]),
      result: Type.Optional(Type.Object({}, open)),
      error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() }, open)),
    },
    open,
  ),
);

/** Specification, "MCP": POST /mcp/a/{agent_id}. */
export const mcpAgent = defineOperation({
  id: 'mcpAgent',
  method: 'post',
  path: '/mcp/a/{agent_id}',
  tag: 'Invocation',
  summary: 'Call an agent over MCP (Streamable HTTP, JSON-RPC 2.0)',
  description:
    'Each agent is one stateless MCP server that offers tools, and tasks of their calls; an MCP agent also offers the resources, ' +
    'prompts and completions of its server. Supported revisions are 2024-11-05 to ' +
    '2025-11-25 (`initialize`) and 2026-07-28 (`server/discover`). MCP agents offer their own tools; all ' +
    'other agents offer the tool `invoke`, and `get_result` if they take jobs. `tools/call` is paid like any call. Its `_meta` accepts ' +
    '`io.market/max_cost_credits`, `io.market/idempotency_key`, `io.market/quote_id`, `io.market/accept` and `io.market/mandate`. The `_meta` of a ' +
    'result has `io.market/invocation_id`, `io.market/trace_id`, `io.market/credits_charged` and, for a ' +
    'failed call (`isError`), `io.market/error_code`. A call that takes long is a task for a client that takes tasks ' +
    '(`io.modelcontextprotocol/tasks`, or `task` of 2025-11-25). Protocol failures are JSON-RPC errors. A ' +
    'response is a single JSON document, unless it has notifications for a client that accepts `text/event-stream`.',
  auth: { scope: 'agents:invoke' },
  acceptsToken: true,
  payable: true,
  params: strictObject({ agent_id: AgentId }),
  headers: strictObject({
    Prefer,
    'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })),
    'X-Max-Cost-Credits': Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_COST_CREDITS })),
    'X-Mandate': Type.Optional(
      Type.String({
        description: 'A mandate as base64url-encoded JSON; the alternative to `io.market/mandate`',
      }),
    ),
    'MCP-Protocol-Version': Type.Optional(Type.String()),
    'Mcp-Method': Type.Optional(Type.String()),
    'Mcp-Name': Type.Optional(Type.String()),
  }),
  errorForm: 'jsonRpcOrOwn',
  bodyLimitBytes: 12 * 1024 * 1024,
  rawBody: true,
  body: Message,
  responses: { 200: Reply, 202: null },
  alternatives: ['text/event-stream'],
  errors: ['not_found', 'invalid_state', 'engine_unavailable'],
  examples: {
    request: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'invoke', arguments: { quantity: '26.2 mi', to: 'km' } },
    },
    response: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [
          {
            type: 'text',
            text: '{"quantity":42.1648128,"unit":"km","text":"42.1648128 km","measure":"length"}',
          },
        ],
        structuredContent: { quantity: 42.1648128, unit: 'km', text: '42.1648128 km', measure: 'length' },
        _meta: {
          'io.market/invocation_id': 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
          'io.market/trace_id': '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
          'io.market/credits_charged': 1,
        },
      },
    },
  },
});

/** The market as one MCP server (ADR 0332). */
export const mcpMarket = defineOperation({
  id: 'mcpMarket',
  method: 'post',
  path: '/mcp',
  tag: 'Invocation',
  summary: 'Use the whole market over MCP (Streamable HTTP, JSON-RPC 2.0)',
  description:
    'One stateless MCP server for all agents, with eight tools: `search_agents`, `describe_agent`, `call_agent`, `get_call`, ' +
    '`answer_question`, `cancel_call`, `open_dispute` and `get_balance`; an agent that the grant pins is a tool of its own. Progress, log ' +
    'messages and forms of MCP servers pass, and `resources/read` reads the pages of their tools (`ui://agt_…/…`). Supported ' +
    'revisions are those of `POST ' +
    '/mcp/a/{agent_id}`. `call_agent` is paid like any call, and a call that takes long is a task for a client that takes ' +
    'tasks; any other client fetches its result with `get_call`. A tool that fails answers with `isError`, in words and with ' +
    'the error body of this service as JSON text. `open_dispute` needs the scope `disputes:write`, and `get_balance` shows the ' +
    'wallet to a key with `billing:read`.',
  auth: { scope: 'agents:invoke' },
  acceptsToken: true,
  headers: strictObject({
    Prefer,
    'Idempotency-Key': Type.Optional(text({ minLength: 1, maxLength: 255 })),
    'X-Max-Cost-Credits': Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_COST_CREDITS,
        description: 'No call costs more, whatever `max_cost_credits` says',
      }),
    ),
    'MCP-Protocol-Version': Type.Optional(Type.String()),
    'Mcp-Method': Type.Optional(Type.String()),
    'Mcp-Name': Type.Optional(Type.String()),
  }),
  errorForm: 'jsonRpcOrOwn',
  bodyLimitBytes: 12 * 1024 * 1024,
  rawBody: true,
  body: Message,
  responses: { 200: Reply, 202: null },
  alternatives: ['text/event-stream'],
  errors: ['engine_unavailable'],
  examples: {
    request: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'call_agent',
        arguments: {
          agent_id: 'agt_unit_converter_v1',
          input: { quantity: '26.2 mi', to: 'km' },
          max_cost_credits: 5,
        },
      },
    },
    response: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [{ type: 'text', text: '{"quantity":42.1648128,"unit":"km"}' }],
        structuredContent: {
          invocation_id: 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
          agent_id: 'agt_unit_converter_v1',
          agent_name: 'Unit converter',
          status: 'succeeded',
          credits_charged: 1,
          credits_refunded: 0,
          next: 'The call is paid. If its answer is wrong, open_dispute asks for the money back within 72 hours.',
          output: { quantity: 42.1648128, unit: 'km' },
        },
      },
    },
  },
});

export const mcpOperations = [mcpAgent, mcpMarket];
