/**
 * Since when the page reads for its account (ADR 0330). An event since then may be in none of its reads, until it
 * follows the events.
 */
interface Beginning {
  /** By the server's clock, in ms since 1970: not later than the first read, and at most some seconds before it. */
  at: number;
  /** By the page's own clock. */
  mark: number;
}

let beginning: Beginning | undefined;
/** What the newest answer said. */
let latest: number | undefined;

/** Notes when an answer was sent, to the second. The page began to load before the first one. */
export function noteTime({ headers }: Response): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(at)) return;
  latest = Math.max(latest ?? at, at);
  beginning ??= { at: at - performance.now(), mark: 0 };
}

/** What was read is forgotten, because another account has logged in: the page reads from now on. */
export function readAnew(): void {
  beginning = latest === undefined ? undefined : { at: latest, mark: performance.now() };
}

/** When the page began to read, if that is at most `mostMs` ago. */
export function readSince(mostMs: number): number | undefined {
  return beginning && performance.now() - beginning.mark <= mostMs ? beginning.at : undefined;
}
