import type { Viewer } from '../../domain/catalogue/agent-state';
import { lowestIdAt } from '../../kit/ids/ids';
import type { Db } from '../db';
import { shownTo } from '../shown-to';

export interface PublicDeveloper {
  developerId: string;
  displayName: string;
  since: Date;
  /** Agents that search lists. */
  agents: number;
  /** Disputes that the developer had to answer: how many were answered, and how many not in time. */
  disputes: { answered: number; unanswered: number };
}

const DAY_MS = 86_400_000;
/** Days whose disputes are counted. */
const DISPUTE_DAYS = 365;
/** Older disputes of the days are not read. */
const MOST_DISPUTES = 1_000;

/**
 * Reads a developer who has an agent that the viewer can call. The disputes are the newest 1,000 of the last 365 days,
 * about agents that are shown to the viewer.
 */
export async function readDeveloper(
  db: Db,
  developerId: string,
  { nowMs, viewer }: { nowMs: number; viewer: Viewer },
): Promise<PublicDeveloper | undefined> {
  const { rows } = await db.query<PublicDeveloper & { answered: string; unanswered: string; listed: string }>(
    `SELECT u.developer_id AS "developerId", u.display_name AS "displayName", u.created_at AS since, o.listed,
            c.answered, c.unanswered
       FROM users u
       CROSS JOIN LATERAL (SELECT count(*) AS serving, count(*) FILTER (WHERE a.listed) AS listed FROM agents a
         WHERE a.developer_user_id = u.user_id AND a.status = 'active' AND a.serving_version_id IS NOT NULL
           AND ${shownTo('$3')}) o
       CROSS JOIN LATERAL (
         SELECT count(*) FILTER (WHERE d.responded_at IS NOT NULL) AS answered,
                count(*) FILTER (WHERE d.resolution = 'developer_silent') AS unanswered
           FROM (SELECT agent_id, responded_at, resolution FROM disputes
                  WHERE developer_user_id = u.user_id AND dispute_id >= $2
                  ORDER BY dispute_id DESC LIMIT ${MOST_DISPUTES}) d JOIN agents a USING (agent_id)
          WHERE ${shownTo('$3')}) c
      WHERE u.developer_id = $1 AND o.serving > 0`,
    [developerId, lowestIdAt('dsp', nowMs - DISPUTE_DAYS * DAY_MS), viewer ?? null],
  );
  const [row] = rows;
  return (
    row && {
      developerId: row.developerId,
      displayName: row.displayName,
      since: row.since,
      agents: Number(row.listed),
      disputes: { answered: Number(row.answered), unanswered: Number(row.unanswered) },
    }
  );
}
