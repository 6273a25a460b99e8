import { type Checks, partsOf, shareOf, STATUS_PARTS } from '../../domain/service-status';
import type { Db } from '../../stores/db';
import { noteStatus, readStatusDays } from '../../stores/operations/service-status';

/** Days of history that the page shows. */
const DAYS = 90;
const DAY_MS = 86_400_000;
/** How long one answer serves all readers of a process. */
const KEPT_MS = 5_000;

export interface ServiceStatusDeps {
  db: Db;
  read: () => Promise<{ checks: Checks }>;
}

/** The public state of the service, and its history by day. */
export function createServiceStatus({ db, read }: ServiceStatusDeps) {
  let kept: { answer: ReturnType<typeof assemble>; at: number } | undefined;

  async function assemble() {
    const now = Date.now();
    const { checks } = await read();
    const works = partsOf(checks);
    const history = works.api ? await readStatusDays(db, DAYS) : { first: null, days: [] };
    const first = history.first?.getTime() ?? now;
    const dates = Array.from({ length: DAYS }, (_none, index) =>
      new Date(now - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10),
    );
    return {
      asOf: new Date(now),
      parts: STATUS_PARTS.map((part) => ({
        part,
        works: works[part],
        days: dates.map((date) => ({
          date,
          share: shareOf(
            history.days.find((noted) => noted.day === date && noted.part === part),
            date,
            { first, now },
          ),
        })),
      })),
    };
  }

  return {
    /** Notes the state of this minute. */
    async note(): Promise<void> {
      await noteStatus(db, partsOf((await read()).checks));
    },

    /** The present state and its history; at most five seconds old. */
    read() {
      if (!kept || Date.now() - kept.at > KEPT_MS) kept = { answer: assemble(), at: Date.now() };
      const { answer } = kept;
      answer.catch(() => (kept = undefined));
      return answer;
    },
  };
}

export type ServiceStatus = ReturnType<typeof createServiceStatus>;
