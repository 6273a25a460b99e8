import {
  docstring,
  pascal,
  resolved,
  snake,
  type Document,
  type Operation,
  type Parameter,
} from './document';
import type { PythonTypes } from './types';

/** Operations that programs use by another way. */
const OMITTED: Record<string, string> = {
  chat: 'Market.chat',
  chatWithAgent: 'Market.chat',
  streamEvents: 'Market.events',
  followListings: 'a stream for pages',
  razorpayWebhook: 'only the payment provider sends it',
  stripeWebhook: 'only the payment provider sends it',
  receiveCallback: 'agents send it, with a signature',
  receiveTaskNotification: 'A2A agents send it, with a token',
  mcpAgent: 'a library of MCP',
  openapi: 'the document of this client',
};
/** Whole protocols that have libraries of their own; `createTask` and `pollTask` are the service's. */
const isOfAnotherProtocol = (id: string) => /^(a2a[A-Z]|oauth[A-Z]|openid)/.test(id);
/** Headers that a program sets by an argument. */
const HEADERS = ['Idempotency-Key', 'X-Max-Cost-Credits', 'X-Mandate'];
const INDENT = '        ';

interface Written {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

/** How the methods of a client are written. */
interface Style {
  def: string;
  await: string;
  iterator: string;
  base: string;
  transport: string;
  name: string;
}

/** Methods that return when the answer is there. */
export const BLOCKING: Style = {
  def: 'def',
  await: '',
  iterator: 'Iterator',
  base: 'Transport',
  transport: 'from ._transport import Transport, segment',
  name: 'Operations',
};
/** Coroutines and asynchronous iterators. */
export const ASYNCHRONOUS: Style = {
  def: 'async def',
  await: 'await ',
  iterator: 'AsyncIterator',
  base: 'AsyncTransport',
  transport: 'from ._async_transport import AsyncTransport\nfrom ._transport import segment',
  name: 'AsyncOperations',
};

/** The module of the operations: a method for each, named after it. */
export function operationsSource(document: Document, types: PythonTypes, style: Style): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Written[] => {
      const id = operation.operationId;
      return id in OMITTED || isOfAnotherProtocol(id) ? [] : [{ id, method, path, operation }];
    }),
  );
  const methods = operations
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap((written) => [
      methodOf(document, types, written, style),
      iteratorOf(document, types, written, style),
    ])
    .filter((source) => source !== '')
    .join('\n\n');
  return `"""The operations of the API, generated from its OpenAPI document by \`npm run build\`: do not edit."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import ${style.iterator}
from typing import Any, Literal

from . import types as t
${style.transport}


class ${style.name}(${style.base}):
    """A method for each operation. Each raises \`MarketApiError\` for an error response."""

${methods}
`;
}

function methodOf(
  document: Document,
  types: PythonTypes,
  { id, method, path, operation }: Written,
  style: Style,
): string {
  const { positional, named, query, headers, isKeyed } = argumentsOf(document, types, operation);
  const body = bodyOf(document, types, operation);
  const result = resultOf(document, types, operation);
  const about = docstring([operation.summary, operation.description].filter(Boolean).join('.\n\n'), INDENT);
  const call = [
    `"${method.toUpperCase()}"`,
    `${/\{/.test(path) ? 'f' : ''}"${path.replace(/\{(\w+)\}/g, '{segment($1)}')}"`,
    ...(query.length > 0 ? [`query=${dictOf(query)}`] : []),
    ...(headers.length > 0 ? [`headers=${dictOf(headers)}`] : []),
    ...(body ? ['body=body'] : []),
    ...(isKeyed ? ['keyed=True'] : []),
  ];
  const name = snake(id);
  const given = [...positional, ...(body ? [body] : []), ...(named.length > 0 ? ['*', ...named] : [])];
  return [signature(style, name, given, result.type), about, callOf(style, result.reader, call)].join('\n');
}

/** An iterator over all pages of a list: `iter_listings` for `list_listings`. */
function iteratorOf(
  document: Document,
  types: PythonTypes,
  { id, operation }: Written,
  style: Style,
): string {
  const { positional, named } = argumentsOf(document, types, operation);
  if (!id.startsWith('list') || !named.some((argument) => argument.startsWith('cursor:'))) return '';
  const { itemType, isPage } = resultOf(document, types, operation);
  if (!isPage) return '';
  const name = snake(id).replace(/^list_/, 'iter_');
  const given = named.filter((argument) => !argument.startsWith('cursor:'));
  const passed = [
    ...positional.map(nameOf),
    ...given.map((argument) => `${nameOf(argument)}=${nameOf(argument)}`),
    'cursor=cursor',
  ];
  return [
    signature(style, name, [...positional, '*', ...given], `${style.iterator}[${itemType}]`),
    docstring(`The items of all pages of \`${snake(id)}\`, from page to page as they are read.`, INDENT),
    `${INDENT}cursor: str | None = None`,
    `${INDENT}while True:`,
    `${INDENT}    page = ${style.await}self.${snake(id)}(${passed.join(', ')})`,
    `${INDENT}    for item in page["items"]:`,
    `${INDENT}        yield item`,
    `${INDENT}    cursor = page["next_cursor"]`,
    `${INDENT}    if cursor is None:`,
    `${INDENT}        return`,
  ].join('\n');
}

function argumentsOf(document: Document, types: PythonTypes, operation: Operation) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolved<Parameter>(document, parameter),
  );
  const typed = ({ name, schema }: Parameter) => prefixed(types.expression(schema, pascal(name)), types);
  const paths = parameters.filter((parameter) => parameter.in === 'path');
  const queries = parameters.filter(
    (parameter) => parameter.in === 'query' && !parameter.name.startsWith('A2A'),
  );
  const headers = parameters.filter(({ name }) => HEADERS.includes(name));
  const argument = (parameter: Parameter) => {
    const name = argumentName(parameter.name);
    return parameter.required ? `${name}: ${typed(parameter)}` : `${name}: ${typed(parameter)} | None = None`;
  };
  return {
    positional: paths.map(argument),
    named: [...queries, ...headers].map(argument),
    query: queries.map(({ name }): [string, string] => [name, argumentName(name)]),
    headers: headers.map(({ name }): [string, string] => [name, argumentName(name)]),
    isKeyed: headers.some(({ name }) => name === 'Idempotency-Key'),
  };
}

function bodyOf(document: Document, types: PythonTypes, operation: Operation): string | undefined {
  if (!operation.requestBody) return undefined;
  const { content = {}, required } = resolved(document, operation.requestBody);
  const { schema } = content['application/json'] ?? {};
  const type = schema
    ? prefixed(types.expression(schema, `${pascal(operation.operationId)}Body`), types)
    : 'Any';
  return required ? `body: ${type}` : `body: ${type} | None = None`;
}

function resultOf(document: Document, types: PythonTypes, operation: Operation) {
  const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const { content = {} } = answer ? resolved(document, answer) : {};
  const [kind] = Object.keys(content);
  if (kind === undefined) return { reader: '_nothing', type: 'None', itemType: '', isPage: false };
  if (!/json/.test(kind) && kind !== '*/*')
    return { reader: '_bytes', type: 'bytes', itemType: '', isPage: false };
  const schema = content[kind]?.schema ?? {};
  const type = prefixed(types.expression(schema, `${pascal(operation.operationId)}Answer`), types);
  // A list of another protocol has other names for the same.
  const { items, next_cursor: next } = resolved(document, schema).properties ?? {};
  const itemType = items?.items
    ? prefixed(types.expression(items.items, singularOf(schema.$ref)), types)
    : 'Any';
  return { reader: '_json', type, itemType, isPage: items !== undefined && next !== undefined };
}

/** The name that `types.ts` gave the items of a page without a name of their own. */
const singularOf = (ref = '') => `${ref.split('/').at(-1) ?? ''}Item`;

/** Names of `types.py` are used as `t.Listing`. */
function prefixed(expression: string, types: PythonTypes): string {
  const names = new Set(types.names());
  return expression.replace(/"[^"]*"|[A-Za-z_]\w*/g, (word) => (names.has(word) ? `t.${word}` : word));
}

function callOf({ await: waiting }: Style, reader: string, given: string[]): string {
  const line = `${INDENT}return ${waiting}self.${reader}(${given.join(', ')})`;
  if (line.length <= 100) return line;
  return [`${INDENT}return ${waiting}self.${reader}(`, ...given.map((argument) => `${INDENT}    ${argument},`), `${INDENT})`].join('\n'); // prettier-ignore
}

const argumentName = (name: string) => snake(name.replace(/^X-/, ''));
const nameOf = (argument: string) => argument.split(':')[0] ?? '';
const dictOf = (entries: [string, string][]) =>
  `{${entries.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`;

function signature({ def }: Style, name: string, given: string[], result: string): string {
  const line = `    ${def} ${name}(${['self', ...given].join(', ')}) -> ${result}:`;
  if (line.length <= 100) return line;
  return [`    ${def} ${name}(`, ...['self', ...given].map((argument) => `${INDENT}${argument},`), `    ) -> ${result}:`].join('\n'); // prettier-ignore
}
