import type { Viewer } from '../../domain/catalogue/agent-state';
import type { Db } from '../db';
import { shownTo } from '../shown-to';

/** The serving version of a developer's slug, in its highest live major version that is shown to the viewer. */
export async function readServingVersionOf(
  db: Db,
  developerId: string,
  slug: string,
  viewer: Viewer,
): Promise<{ versionId: string } | undefined> {
  const result = await db.query<{ serving_version_id: string }>({
    name: 'serving-version-of-owner',
    text: `SELECT a.serving_version_id FROM agents a JOIN users u ON u.user_id = a.developer_user_id
            WHERE a.slug = $1 AND u.developer_id = $2 AND a.status = 'active' AND a.serving_version_id IS NOT NULL
              AND ${shownTo('$3')}
            ORDER BY a.major DESC LIMIT 1`,
    values: [slug, developerId, viewer ?? null],
  });
  const row = result.rows[0];
  return row && { versionId: row.serving_version_id };
}
