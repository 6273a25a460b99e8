import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { downloadExport, listExports, requestExport } from '../../contract/leaving';
import type { LeavingCases } from '../../engine/leaving';
import type { Exports } from '../../services/leaving/exports';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { exportView } from '../views/documents/leaving';
import { prepareFile } from './payouts';

export interface LeavingRouteDeps {
  exports: Exports;
  leavingCases: LeavingCases;
}

const EXPORT_POSITION = idPosition('exp');

/** /v1/account: exports of an account (ADR 0387). */
export function leavingRoutes(binder: RouteBinder, { exports, leavingCases }: LeavingRouteDeps): void {
  binder.bind(requestExport, async ({ principal }) =>
    exportView(await leavingCases.requestExport(principal.userId)),
  );
  binder.bind(listExports, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['exports', userId], position: EXPORT_POSITION, query },
      ([beforeId], limit) => exports.list(userId, { beforeId, limit }),
      { position: ({ exportId }) => [exportId], view: exportView },
    ),
  );
  binder.bind(downloadExport, async ({ params, principal, res }) => {
    const found = await exports.find(principal.userId, params.export_id);
    const parts = exports.download(found);
    prepareFile(res, 'application/zip', `${found.exportId}.zip`);
    if (found.bytes !== null) res.setHeader('Content-Length', found.bytes);
    // A client that goes away, or a part that fails, ends the connection: the file is visibly incomplete.
    await pipeline(Readable.from(parts), res.status(200)).catch(() => res.destroy());
    return HANDLED;
  });
}
