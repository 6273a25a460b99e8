/** What the tools of `mcp-everything.ts` ask: the forms of the official conformance suite. */
type Json = Record<string, unknown>;

const form = (message: string, name: string, type = 'string'): Json => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  },
});
const sample = (prompt: string): Json => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 50 },
});

/** Requests of results that need input, by their keys. */
export const REQUESTS: Record<string, Json> = {
  user_name: form('What is your name?', 'name'),
  user_context: form('What context should the prompt use?', 'context'),
  confirm: form('Please confirm', 'ok', 'boolean'),
  step1: form('Step 1: What is your name?', 'name'),
  step2: form('Step 2: What is your favorite color?', 'color'),
  greeting: sample('Generate a greeting'),
  capital_question: sample('What is the capital of France?'),
  password: form('Sign in', 'password'),
  nested: form('Your address', 'address', 'object'),
  page: {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Sign in', url: 'https://elsewhere.example/in', elicitationId: 'e1' },
  },
  client_roots: { method: 'roots/list', params: {} },
};

/** One property of each primitive kind, with its default (SEP-1034). */
export const DEFAULTS: Json = {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: {
    type: 'string',
    description: 'User status',
    enum: ['active', 'inactive', 'pending'],
    default: 'active',
  },
  verified: { type: 'boolean', description: 'Verification status', default: true },
};

const titled = ['First Option', 'Second Option', 'Third Option'].map((title, n) => ({
  const: `value${n + 1}`,
  title,
}));
const options = ['option1', 'option2', 'option3'];

/** All kinds of choices (SEP-1330). */
export const ENUMS: Json = {
  untitledSingle: { type: 'string', description: 'Select one option', enum: options },
  titledSingle: { type: 'string', description: 'Select one option with titles', oneOf: titled },
  legacyEnum: {
    type: 'string',
    description: 'Select one option (legacy)',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    description: 'Select several options',
    minItems: 1,
    maxItems: 3,
    items: { type: 'string', enum: options },
  },
  titledMulti: {
    type: 'array',
    description: 'Select several options with titles',
    minItems: 1,
    maxItems: 3,
    items: { anyOf: titled },
  },
};
