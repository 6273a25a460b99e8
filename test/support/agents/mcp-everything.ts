/**
 * A developer's MCP server, of the official library, with everything that the official conformance suite asks for:
 * tools of all kinds of content, notifications, questions to the user, resources, prompts and completions.
 */
import {
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { showsPages } from './mcp-app';
import { startMcpServer, type TestMcpServer } from './mcp-server';
import { ENUMS, DEFAULTS, REQUESTS } from './mcp-forms';

type Json = Record<string, unknown>;
type Call = (args: Json, context: ServerContext) => Promise<Json>;

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
  if: { properties: { name: { const: 'x' } }, required: ['name'] },
  then: { required: ['address'] },
  else: { properties: { name: { type: 'string' } } },
  additionalProperties: false,
};

const text = (value: string): Json => ({ type: 'text', text: value });
const says = (value: string): Json => ({ content: [text(value)] });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, value: string): Json => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});

/** A tool whose argument clients repeat in a header. */
const MIRRORING = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

/** The state of a question, which only this server can write. */
const codecOf = (): RequestStateCodec<Json> =>
  createRequestStateCodec<Json>({ key: 'k'.repeat(32), ttlSeconds: 600 });

/** What a tool of the modern era returns until it has its answers. */
function asks(codec: RequestStateCodec<Json>, ...keys: string[]): Call {
  return async (_args, context) => {
    const { inputResponses = {} } = context.mcpReq as { inputResponses?: Json };
    const answers = keys.map((key) => inputResponses[key]);
    if (answers.every((answer) => typeof answer === 'object' && answer !== null))
      return says(`Answers: ${JSON.stringify(answers)}`);
    const inputRequests = Object.fromEntries(keys.map((key) => [key, REQUESTS[key]]));
    const requestState = await codec.mint({ keys }, context);
    return { resultType: 'input_required', inputRequests, requestState };
  };
}

/** One question after the other; the state says how far it went. */
function asksTwice(codec: RequestStateCodec<Json>): Call {
  return async (_args, context) => {
    const { step } = (context.mcpReq.requestState<Json>() ?? { step: 0 }) as { step: number };
    if (step === 2) return says('Both steps are answered.');
    const key = `step${step + 1}`;
    const requestState = await codec.mint({ step: step + 1 }, context);
    return { resultType: 'input_required', inputRequests: { [key]: REQUESTS[key] }, requestState };
  };
}

/** Asks on the stream of the call, as the legacy era does. */
const asksNow =
  (params: (args: Json) => Json): Call =>
  async (args, { mcpReq }) => {
    const answer = await mcpReq.send({ method: 'elicitation/create', params: params(args) } as never);
    return says(`Answer: ${JSON.stringify(answer)}`);
  };

const form = (message: string, properties: Json, required: string[] = []): Json => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties, required },
});

const logs: Call = async (_args, { mcpReq }) => {
  for (const data of ['started', 'working', 'completed']) await mcpReq.log('info', data);
  return says('logged');
};

const progresses: Call = async (_args, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    const params = { progressToken: progressToken ?? 0, progress, total: 100, message: `step ${progress}` };
    await mcpReq.notify({ method: 'notifications/progress', params });
  }
  return says('progressed');
};

/** Sampling is a request for the model of the client, which a market has not. */
const samples: Call = async ({ prompt }, { mcpReq }) => {
  const messages = [{ role: 'user', content: text(String(prompt)) }];
  const answer = await mcpReq.send({
    method: 'sampling/createMessage',
    params: { messages, maxTokens: 100 },
  } as never);
  return says(JSON.stringify(answer));
};

function legacyTools(): Record<string, Call> {
  return {
    test_sampling: samples,
    test_elicitation: asksNow(({ message }) =>
      form(String(message), { response: { type: 'string', description: 'A response' } }, ['response']),
    ),
    test_elicitation_twice: async (args, context) => {
      const ask = asksNow(({ message }) => form(String(message), { response: { type: 'string' } }));
      const answers = [await ask(args, context), await ask({ message: 'And then?' }, context)];
      return says(JSON.stringify(answers));
    },
    test_elicitation_sep1034_defaults: asksNow(() => form('Please review', DEFAULTS)),
    test_elicitation_sep1330_enums: asksNow(() => form('Please select', ENUMS)),
    test_reconnection: async (_args, { http }) => {
      http?.closeSSE?.();
      return says('reconnected');
    },
  };
}

function modernTools(codec: RequestStateCodec<Json>): Record<string, Call> {
  return {
    test_input_required_result_elicitation: asks(codec, 'user_name'),
    test_input_required_result_sampling: asks(codec, 'capital_question'),
    test_input_required_result_list_roots: asks(codec, 'client_roots'),
    test_input_required_result_request_state: asks(codec, 'confirm'),
    test_input_required_result_multiple_inputs: asks(codec, 'user_name', 'greeting', 'client_roots'),
    test_input_required_result_tampered_state: asks(codec, 'confirm'),
    test_input_required_result_capabilities: asks(codec, 'capital_question'),
    test_input_required_result_multi_round: asksTwice(codec),
    test_streaming_elicitation: asks(codec, 'user_name'),
    test_missing_capability: async (_args, { mcpReq }) => {
      const { envelope } = mcpReq as { envelope?: Json };
      const offered = envelope?.['io.modelcontextprotocol/clientCapabilities'] as Json | undefined;
      if (offered?.['sampling']) return says('sampled');
      const data = { requiredCapabilities: { sampling: {} } };
      throw new ProtocolError(-32021, 'Missing required client capability', data);
    },
    test_asks_password: asks(codec, 'password'),
    test_asks_page: asks(codec, 'page'),
    test_asks_nested: asks(codec, 'nested'),
    test_logging_tool: logs,
    test_headers: async ({ region }) => says(String(region)),
  };
}

function toolsOf(era: 'legacy' | 'modern', codec: RequestStateCodec<Json>): Record<string, Call> {
  return {
    test_simple_text: async () => says('This is a simple text response for testing.'),
    test_image_content: async () => ({ content: [image] }),
    test_audio_content: async () => ({ content: [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] }),
    test_embedded_resource: async () => ({
      content: [embedded('test://embedded-resource', 'text/plain', 'An embedded resource.')],
    }),
    test_multiple_content_types: async () => ({
      content: [
        text('Several kinds'),
        image,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
        { type: 'resource_link', uri: 'test://static-text', name: 'static' },
      ],
    }),
    test_tool_with_logging: logs,
    test_tool_with_progress: progresses,
    test_error_handling: async () => ({ ...says('This tool intentionally fails'), isError: true }),
    json_schema_2020_12_tool: async (args) => says(JSON.stringify(args)),
    ...(era === 'legacy' ? legacyTools() : modernTools(codec)),
  };
}

const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
  {
    uri: 'ui://dashboard',
    name: 'dashboard',
    mimeType: 'text/html;profile=mcp-app',
    _meta: {
      ui: {
        csp: {
          connectDomains: ['https://api.example.com', 'http://plain.example.com', 'https://127.0.0.1:1', '*'],
          resourceDomains: ['https://*.example.com', "https://a.example.com; script-src 'unsafe-eval'"],
          frameDomains: 'https://elsewhere.example.com',
        },
      },
    },
  },
];

function contentsOf(uri: string): Json {
  const found = RESOURCES.find((resource) => resource.uri === uri);
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { uri, mimeType: 'application/json', text: data };
  }
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
  const { mimeType, _meta } = found;
  if (mimeType === 'image/png') return { uri, mimeType, blob: PIXEL };
  return { uri, mimeType, text: 'This is the content of the static text resource.', ...(_meta && { _meta }) };
}

const argument = (name: string): Json => ({ name, description: name, required: true });
const PROMPTS: Record<string, Json[]> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: [argument('arg1'), argument('arg2')],
  test_prompt_with_embedded_resource: [argument('resourceUri')],
  test_prompt_with_image: [],
};

function promptOf(name: string, args: Json): Json {
  const message = (content: Json): Json => ({ messages: [{ role: 'user', content }] });
  if (name === 'test_simple_prompt') return message(text('This is a simple prompt for testing.'));
  if (name === 'test_prompt_with_arguments')
    return message(
      text(`Prompt with arguments: arg1='${String(args['arg1'])}', arg2='${String(args['arg2'])}'`),
    );
  if (name === 'test_prompt_with_embedded_resource')
    return message(embedded(String(args['resourceUri']), 'text/plain', 'Embedded resource content.'));
  if (name === 'test_prompt_with_image') return message(image);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
}

const SCHEMAS: Record<string, Json> = { json_schema_2020_12_tool: SCHEMA, test_headers: MIRRORING };

/** Makes the server of one request or session. */
function serverOf(era: 'legacy' | 'modern'): Server {
  const codec = codecOf();
  const tools = toolsOf(era, codec);
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} };
  const server = new Server(
    { name: 'everything', version: '1.0.0' },
    { capabilities, requestState: { verify: codec.verify } },
  );
  const listed = (isShown: boolean) =>
    Object.keys(tools).map((name) => ({
      name,
      description: name,
      inputSchema: SCHEMAS[name] ?? { type: 'object' },
      ...(name === 'test_simple_text' && isShown && { _meta: { ui: { resourceUri: 'ui://dashboard' } } }),
    }));
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const { envelope } = mcpReq as { envelope?: Json };
    const declared = envelope?.['io.modelcontextprotocol/clientCapabilities'];
    return { tools: listed(showsPages(declared ?? server.getClientCapabilities())) } as never;
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools[params.name];
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return (await tool(params.arguments ?? {}, context)) as never;
  });
  server.setRequestHandler('resources/list', async () => ({ resources: RESOURCES }));
  const template = {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    mimeType: 'application/json',
  };
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [template] }));
  server.setRequestHandler(
    'resources/read',
    async ({ params }) => ({ contents: [contentsOf(params.uri)] }) as never,
  );
  const all = { ...PROMPTS, ...(era === 'modern' && { test_input_required_result_prompt: [] }) };
  server.setRequestHandler('prompts/list', async () => ({
    prompts: Object.entries(all).map(([name, args]) => ({ name, description: name, arguments: args })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    if (name !== 'test_input_required_result_prompt') return promptOf(name, args) as never;
    const result = await asks(codec, 'user_context')(args, context);
    if (result['resultType']) return result as never;
    return { messages: [{ role: 'user', content: (result['content'] as Json[])[0] }] } as never;
  });
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  return server;
}

export const startEverything = (era: 'legacy' | 'modern'): Promise<TestMcpServer> =>
  startMcpServer(era === 'modern' ? 'modern-sse' : 'legacy-session-sse', () => serverOf(era));
