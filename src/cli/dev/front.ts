/**
 * The HTTPS side of `market dev`: ends TLS with the local certificate, passes each request on to the agent's process on
 * 127.0.0.1, and compares input and answer of each call with the schemas of the manifest. This file may make requests
 * outside of egress (eslint.config.mjs lists it), because their address is that of the process that `market dev`
 * started.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { FieldProblem } from '../../domain/errors';
import { oneLine } from '../terminal/terminal-text';
import type { AgentProcess } from './agent-process';

export interface FrontOptions {
  host: string;
  port: number;
  keyPem: string;
  certPem: string;
  agent: Pick<AgentProcess, 'port' | 'ready'>;
  checks: () => SchemaChecks;
  say: (line: string) => void;
}

/** What is wrong with an input or an output, by the schemas of the manifest; empty if it matches. */
export interface SchemaChecks {
  input: (value: unknown) => FieldProblem[];
  output: (value: unknown) => FieldProblem[];
}

/** Listens on the address of the manifest. Rejects when it is in use or not an address of this machine. */
export function startFront(options: FrontOptions): Promise<Server> {
  const server = createServer({ key: options.keyPem, cert: options.certPem }, (request, response) => {
    void passOn(options, request, response);
  });
  return new Promise((resolve, reject) => {
    server
      .once('error', (error) => reject(inUse(error, options)))
      .listen(options.port, options.host, () => resolve(server));
  });
}

function inUse(error: NodeJS.ErrnoException, { host, port }: FrontOptions): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(
    `${host}:${port}, the address of endpoint.url in manifest.json, is in use: end the program that listens there ` +
      `(another market dev?), or change the port in manifest.json`,
  );
}

async function passOn(
  options: FrontOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = Date.now();
  const { method, url: path, headers } = request;
  try {
    const input = await buffer(request);
    // calls wait while the agent is restarted
    await options.agent.ready();
    const target = { host: '127.0.0.1', port: options.agent.port, method, path, headers };
    const sent = send(target).end(input);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    const output = await answerTo(response, answer);
    const isCall = method === 'POST' && answer.statusCode === 200;
    const line = `${method} ${path} ${answer.statusCode} ${Date.now() - startedAt} ms`;
    options.say(describe(options.checks(), { line, isCall, input, output }));
  } catch (error) {
    options.say(`${method} ${path} failed: ${(error as Error).message}`);
    if (!response.headersSent) response.writeHead(502);
    response.end();
  }
}

/** Passes an answer on. Returns the body of a JSON answer; undefined for streams, which are passed on as they come. */
async function answerTo(response: ServerResponse, answer: IncomingMessage): Promise<Buffer | undefined> {
  if (!/^application\/json/.test(answer.headers['content-type'] ?? '')) {
    await pipeline(answer, response);
    return undefined;
  }
  const body = await buffer(answer);
  response.end(body);
  return body;
}

/** The line of one call, and a line for each deviation from the schemas. */
export function describe(
  checks: SchemaChecks,
  call: { line: string; isCall: boolean; input: Buffer; output: Buffer | undefined },
): string {
  if (!call.isCall) return call.line;
  const inputProblems = problemsOf(call.input, checks.input);
  if (inputProblems.length > 0)
    return `${call.line}  accepted an input that does not match input_schema\n${linesOf(inputProblems)}`;
  if (call.output === undefined) return `${call.line}  streamed`;
  const problems = problemsOf(call.output, checks.output);
  if (problems.length === 0) return `${call.line}  matches output_schema`;
  return `${call.line}  the answer does not match output_schema: buyers get a refund\n${linesOf(problems)}`;
}

function problemsOf(body: Buffer, check: (value: unknown) => FieldProblem[]): FieldProblem[] {
  try {
    return check(JSON.parse(body.toString()));
  } catch {
    return [{ loc: [], msg: 'is not JSON', type: 'malformed_json' }];
  }
}

const linesOf = (problems: readonly FieldProblem[]) =>
  problems.map(({ loc, msg }) => oneLine(`    ${loc.join('.') || 'the body'}: ${msg}`)).join('\n');
