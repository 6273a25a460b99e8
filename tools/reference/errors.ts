import { httpStatus } from '../../src/api/answers/http-status';
import { defaultMessage, ERROR_CODES, isRetryable } from '../../src/domain/errors';
import { ERROR_HELP } from './error-help';
import { code, generated, table } from './table';

const EXAMPLE = {
  error: { code: 'max_cost_exceeded', message: defaultMessage('max_cost_exceeded'), retryable: false },
  trace_id: '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
};

/** docs/reference/errors.md: every error code, by status. */
export function errorsPage(): string {
  const codes = [...ERROR_CODES].sort((a, b) => httpStatus(a) - httpStatus(b));
  const rows = codes.map((name) => {
    const { cause, remedy } = ERROR_HELP[name];
    return [code(name), String(httpStatus(name)), isRetryable(name) ? 'yes' : 'no', cause, remedy];
  });
  const messages = codes.map((name) => [code(name), defaultMessage(name)]);
  return `${generated(
    'Error codes',
    '`src/domain/errors.ts`, `src/api/answers/http-status.ts` and `tools/reference/error-help.ts`',
    'Every error has the same body. `code` never changes its meaning; `message` is for people, and may. `retryable` says whether the same request\ncan succeed later. Give the `trace_id` to an operator: the log has it.',
    `\`\`\`json\n${JSON.stringify(EXAMPLE, null, 2)}\n\`\`\``,
    'A 422 also has `detail`, with one member for each wrong field: `loc` (its place, such as `["body", "input", "quantity"]`), `msg` and `type`. A\ncall that failed has its `invocation_id`. A 429 has the header `Retry-After` in seconds. **A call that ends with an error costs nothing**,\nwhatever its code.',
    'On MCP, failures of a call are results with `isError: true`; on A2A, statuses of a task. [MCP and A2A](../mcp-and-a2a.md) has both.',
  )}

## Codes

${table(['Code', 'Status', 'Retry', 'Cause', 'Remedy'], rows)}

## Messages

Many errors have a more exact message, with the value or the limit. These are the messages of the others.

${table(['Code', 'Message'], messages)}
`;
}
