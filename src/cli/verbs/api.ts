import type { Command } from 'commander';
import { verb } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { readJsonArgument } from '../terminal/json-argument';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `market api`: any operation of the API. */
export function apiVerbs(program: Command): void {
  program
    .command('api')
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', 'path with its query, such as /v1/billing/balance')
    .argument('[body]', 'JSON, or @file, or - for standard input')
    .description('sends a request to the API with your credential and prints the answer')
    .addHelpText(
      'after',
      `
GET /openapi.json describes the operations.

Examples:
  market api GET /v1/billing/balance
  market api POST /v1/keys '{"name": "app", "scopes": ["agents:read"]}'`,
    )
    .action(
      verb(async (method: string, path: string, body: string | undefined, _options, command: Command) => {
        if (!METHODS.includes(method.toUpperCase()))
          throw usageFailure(`${method} is not one of ${METHODS.join(', ')}`);
        if (!path.startsWith('/'))
          throw usageFailure(`${path} is not a path: write, for example, /v1/billing/balance`);
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        const value = body === undefined ? undefined : await readJsonArgument(body, 'the body');
        const answer = await api.call<unknown>(method.toUpperCase(), path, value);
        return { text: answer === undefined ? '' : JSON.stringify(answer, null, 2), json: answer ?? null };
      }),
    );
}
