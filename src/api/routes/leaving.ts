import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  confirmDeletion,
  downloadExport,
  getDeletion,
  listDeletions,
  listExports,
  readRetainedRecord,
  requestDeletion,
  requestExport,
  withdrawDeletion,
} from '../../contract/leaving';
import type { LeavingCases } from '../../engine/leaving';
import type { AccountsService } from '../../services/accounts/accounts';
import type { Authenticators } from '../../services/accounts/authenticators';
import type { LoginGuard } from '../../services/accounts/login-guard';
import { blockTexts, type Deletions } from '../../services/leaving/deletions';
import type { RetainedRecords } from '../../services/leaving/retained-records';
import type { Exports } from '../../services/leaving/exports';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import { actsForOrganisation, personOf } from '../identity/principal';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { deletionView, exportView } from '../views/documents/leaving';
import { prepareFile } from './payouts';

export interface LeavingRouteDeps {
  exports: Exports;
  deletions: Deletions;
  retained: RetainedRecords;
  accounts: AccountsService;
  authenticators: Authenticators;
  loginGuard: LoginGuard;
  leavingCases: LeavingCases;
}

const EXPORT_POSITION = idPosition('exp');
const DELETION_POSITION = idPosition('del');

/** /v1/account: exports and deletions of an account (ADR 0387, ADR 0388). */
export function leavingRoutes(binder: RouteBinder, deps: LeavingRouteDeps): void {
  const { exports, leavingCases } = deps;
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
  deletionRoutes(binder, deps);
  operatorDeletionRoutes(binder, deps);
}

function deletionRoutes(binder: RouteBinder, deps: LeavingRouteDeps): void {
  const { accounts, authenticators, deletions, leavingCases, loginGuard } = deps;
  binder.bind(getDeletion, async ({ principal }) => {
    const { deletion, blocks } = await deletions.standing(principal.userId);
    return { deletion: deletion && deletionView(deletion), blocked_by: blockTexts(blocks) };
  });
  binder.bind(requestDeletion, async ({ principal, body }) => {
    const person = personOf(principal);
    await loginGuard.confirm(person, () => accounts.checkPassword(person, body.password));
    await authenticators.checkChange(person, body.totp_code);
    const requested = await leavingCases.requestDeletion({
      userId: principal.userId,
      forfeits: body.forfeit_credits ?? false,
      requestedBy: actsForOrganisation(principal) ? person : null,
    });
    return deletionView(requested);
  });
  binder.bind(withdrawDeletion, async ({ principal }) => {
    await leavingCases.withdraw(principal.userId);
    return undefined;
  });
  binder.bind(confirmDeletion, async ({ body }) => deletionView(await leavingCases.confirm(body.token)));
}

function operatorDeletionRoutes(binder: RouteBinder, { deletions, retained }: LeavingRouteDeps): void {
  binder.bind(listDeletions, ({ query }) =>
    listPage(
      { list: ['deletions', query.status ?? ''], position: DELETION_POSITION, query },
      ([beforeId], limit) => deletions.list({ state: query.status, beforeId, limit }),
      { position: ({ deletionId }) => [deletionId], view: deletionView },
    ),
  );
  binder.bind(readRetainedRecord, async (input) => {
    const { user_id: userId } = input.params;
    const { keptAt, endsAt, record } = await retained.open(userId, operatorRequestOf(input));
    return { user_id: userId, kept_at: keptAt.toISOString(), ends_at: endsAt.toISOString(), record };
  });
}
