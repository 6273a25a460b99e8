import type { ToolWords } from '../../../domain/catalogue/search/tool-words';
import type { Db } from '../../db';

/** Stores the words of the tools that the server of a version lists. If they are stored already, nothing is written. */
export async function putToolWords(db: Db, versionId: string, { names, texts }: ToolWords): Promise<void> {
  await db.query(
    `INSERT INTO version_tools AS t (version_id, names, texts) VALUES ($1, $2, $3)
     ON CONFLICT (version_id) DO UPDATE SET names = excluded.names, texts = excluded.texts, listed_at = now()
      WHERE (t.names, t.texts) IS DISTINCT FROM (excluded.names, excluded.texts)`,
    [versionId, names, texts],
  );
}
