/** Histories of earlier releases must replay with the code of today, or running workflows would break at an upgrade. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';

const FOLDER = join(__dirname, '..', 'replay', 'histories');
const BUNDLE = { codePath: join(__dirname, '..', '..', 'dist', 'workflow-bundle.js') };

interface SavedHistory {
  events: { workflowExecutionStartedEventAttributes?: { workflowType: { name: string } } }[];
}

const saved = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => [file, JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as SavedHistory] as const);

it('has histories to replay', () => {
  expect(saved.length).toBeGreaterThan(3);
});

it('keeps each history on one line', () => {
  const lines = saved.map(([file]) => [
    file,
    readFileSync(join(FOLDER, file), 'utf8').trimEnd().split('\n').length,
  ]);
  expect(lines.filter(([, count]) => count !== 1)).toEqual([]);
});

describe('one worker', () => {
  const errors = new Map<string, Error | undefined>();
  beforeAll(async () => {
    const histories = saved.map(([workflowId, history]) => ({ workflowId, history }));
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: BUNDLE },
      histories,
    ))
      errors.set(workflowId, error);
  });

  it.each(saved)('replays %s', (file) => {
    expect([errors.has(file), errors.get(file)]).toEqual([true, undefined]);
  });
});

it('finds a history that the code would not have written', async () => {
  const [, original] = saved.find(([file]) => file === 'invocation-succeeded.json') ?? [];
  // As if the steps had been taken in another order.
  const changed = { events: reorder(original) };
  expect(changed).not.toEqual(original);
  await expect(Worker.runReplayHistory({ workflowBundle: BUNDLE }, changed)).rejects.toThrow();
});

/** The same events with the contents of the second and third marker exchanged. */
function reorder(history: SavedHistory | undefined): unknown[] {
  const events = structuredClone(history?.events ?? []) as Record<string, unknown>[];
  const [, second, third] = events.filter((event) => 'markerRecordedEventAttributes' in event);
  if (second && third) {
    [second['markerRecordedEventAttributes'], third['markerRecordedEventAttributes']] = [
      third['markerRecordedEventAttributes'],
      second['markerRecordedEventAttributes'],
    ];
  }
  return events;
}
