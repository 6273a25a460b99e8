/** Metrics that are read when they are scraped. */
import type { Metrics } from '../kit/metrics';
import type { Container } from '../container';
import type { FairPool } from '../stores/db';
import { backlogFigures, moneyFigures } from './backlog-figures';
import type { InvocationEngine } from './engine-parts';
import type { Loop } from './loops';

/** Adds the metrics of an API process: its calls, and its connection to the engine. */
export function addApiFigures(container: Container, engine: InvocationEngine): void {
  const { metrics, registry, pool } = container;
  const gauge = gaugesOf(metrics);
  gauge('market_calls_in_flight', 'Calls that this process holds', () => registry.size);
  gauge('market_engine_connected', '1 when this process has reached the workflow engine', () =>
    Number(engine.link.client() !== undefined),
  );
  gauge('market_engine_breaker_open', '1 while calls are refused because the engine does not answer', () =>
    Number(engine.isBreakerOpen()),
  );
  metrics.read({
    kind: 'gauge',
    name: 'market_worker_poll_age_seconds',
    help: 'Time since a worker last polled the queue operations, as seen by this process; absent while Temporal is away',
    read: async () => {
      const age = await engine.operationsPollAge();
      if (age === undefined) throw new Error('Temporal does not answer');
      return [{ value: age }];
    },
  });
  metrics.read({
    kind: 'counter',
    name: 'market_engine_starts_total',
    help: 'Starts of calls; declined ones are confirmed ones whose first task ran elsewhere',
    labelNames: ['result'],
    read: () => {
      const { confirmed, declined, failed } = engine.starts();
      return [
        { labels: { result: 'confirmed' }, value: confirmed },
        { labels: { result: 'declined' }, value: declined },
        { labels: { result: 'failed' }, value: failed },
      ];
    },
  });
  addPoolFigure(metrics, pool);
}

/** Adds the metrics of a worker process: its loops, and the backlog in the database. */
export function addWorkerFigures(container: Container, loops: readonly Loop[]): void {
  const { metrics, registry, pool, backlog } = container;
  const gauge = gaugesOf(metrics);
  gauge('market_calls_in_flight', 'Tasks that this process carries out', () => registry.size);
  metrics.read({
    kind: 'counter',
    name: 'market_loop_turns_total',
    help: 'Turns of the loops of this process',
    labelNames: ['loop', 'result'],
    read: () =>
      loops.flatMap(({ name, turns }) => [
        { labels: { loop: name, result: 'done' }, value: turns.done },
        { labels: { loop: name, result: 'failed' }, value: turns.failed },
      ]),
  });
  metrics.read({
    kind: 'gauge',
    name: 'market_loop_failing',
    help: '1 while the turns of a loop fail, or one does not end',
    labelNames: ['loop'],
    read: () => loops.map((each) => ({ labels: { loop: each.name }, value: Number(each.isFailing()) })),
  });
  metrics.read({
    kind: 'gauge',
    name: 'market_loop_last_done_timestamp_seconds',
    help: 'When the last turn of a loop ended well',
    labelNames: ['loop'],
    read: () => loops.map(({ name, turns }) => ({ labels: { loop: name }, value: turns.lastDoneMs / 1_000 })),
  });
  addPoolFigure(metrics, pool);
  for (const figure of [...backlogFigures(backlog), ...moneyFigures(backlog)]) metrics.read(figure);
}

function gaugesOf(metrics: Metrics) {
  return (name: string, help: string, read: () => number): void =>
    metrics.read({ kind: 'gauge', name, help, read: () => [{ value: read() }] });
}

function addPoolFigure(metrics: Metrics, pool: FairPool): void {
  metrics.read({
    kind: 'gauge',
    name: 'market_database_connections',
    help: 'Connections of this process to Postgres, and requests waiting for one',
    labelNames: ['state'],
    read: () => [
      { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'waiting' }, value: pool.share.waiting() },
    ],
  });
  metrics.read({
    kind: 'counter',
    name: 'market_database_refusals_total',
    help: 'Statements that got no connection because all were busy',
    read: () => [{ value: pool.share.refused() }],
  });
}
