import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { verb, type VerbResult } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { recordResult } from '../terminal/pages';
import { tableText } from '../terminal/terminal-text';

/** A `Task` and a page of tasks, as A2A 1.0 defines them. */
interface Task {
  id: string;
  contextId?: string;
  status: { state: string; timestamp?: string };
}
interface TaskPage {
  tasks: Task[];
  nextPageToken: string;
  totalSize: number;
}

interface ListOptions extends GlobalOptions {
  limit?: string;
  cursor?: string;
}

const STANDARD = { 'A2A-Version': '1.0' };

/** `market tasks …`: your A2A tasks with one agent (docs/mcp-and-a2a.md). */
export function taskVerbs(program: Command): void {
  const tasks = program.command('tasks').description('lists, shows and cancels your A2A tasks with an agent');
  tasks
    .command('list')
    .argument('<agent>', 'agent id or slug')
    .option('--limit <number>', 'rows per page, 1 to 100')
    .option('--cursor <cursor>', 'cursor of the next page of the same list')
    .description('lists your tasks with an agent, newest first')
    .addHelpText('after', '\nExample:\n  market tasks list report-writer')
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const options = command.optsWithGlobals<ListOptions>();
        const api = connect(options);
        const query = new URLSearchParams({
          ...(options.limit && { pageSize: options.limit }),
          ...(options.cursor && { pageToken: options.cursor }),
        });
        const path = `${await tasksOf(api, agent)}?${query.toString()}`;
        return listed(await api.call<TaskPage>('GET', path, undefined, STANDARD));
      }),
    );
  addOne(tasks, 'show', 'prints a task with its output', (api, path) => api.call<object>('GET', path));
  addOne(tasks, 'cancel', 'cancels a task; a canceled task costs nothing', (api, path) =>
    api.call<object>('POST', `${path}:cancel`, {}, STANDARD),
  );
}

function addOne(
  tasks: Command,
  name: string,
  description: string,
  run: (api: MarketApi, path: string) => Promise<object>,
): void {
  tasks
    .command(name)
    .argument('<agent>', 'agent id or slug')
    .argument('<task>', 'task id, inv_…')
    .description(description)
    .addHelpText('after', `\nExample:\n  market tasks ${name} report-writer inv_…`)
    .action(
      verb(async (agent: string, task: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return recordResult(await run(api, `${await tasksOf(api, agent)}/${encodeURIComponent(task)}`));
      }),
    );
}

const tasksOf = async (api: MarketApi, agent: string) => `/v1/a2a/${await findAgent(api, agent)}/tasks`;

function listed(page: TaskPage): VerbResult {
  if (page.tasks.length === 0) return { text: 'Nothing found.', json: page };
  const rows = page.tasks.map(({ id, status, contextId }) => [
    id,
    status.state.replace('TASK_STATE_', '').toLowerCase(),
    status.timestamp ?? '-',
    contextId ?? '-',
  ]);
  const more = page.nextPageToken === '' ? '' : `\nmore: --cursor ${page.nextPageToken}`;
  const text = tableText([['task', 'status', 'at', 'context'], ...rows]);
  return { text: `${text}\n${rows.length} of ${page.totalSize}${more}`, json: page };
}
