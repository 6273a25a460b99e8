import type { Logger } from '../logger';

/** Time for everything but the drain. */
const CLOSE_MS = 9_000;

/**
 * Runs `stop` once on SIGTERM or SIGINT, then exits: with code 0, or 1 if `stop` fails or takes longer than 9 s besides
 * `drainMs`.
 */
export function stopOnSignals(logger: Logger, drainMs: number, stop: () => Promise<void>): void {
  const forceAfterMs = drainMs + CLOSE_MS;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error(`shutdown took longer than ${forceAfterMs / 1_000} s; exiting`);
      process.exit(1);
    }, forceAfterMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
