import {
  acceptInvitation,
  changeMember,
  handOverOrganisation,
  inviteMember,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
} from '../../contract/organisation-members';
import {
  changeOrganisation,
  chooseOwner,
  convertAccount,
  createOrganisation,
  getOrganisation,
  getOrganisationLogCsv,
  listOrganisationLog,
  listOrganisations,
} from '../../contract/organisations';
import { MarketError } from '../../domain/errors';
import { MOST_COUNTED } from '../../domain/list-total';
import { writeCsv } from '../../kit/rails/csv';
import type { AccountsService } from '../../services/accounts/accounts';
import type { LoginGuard } from '../../services/accounts/login-guard';
import type { LogFilter, LoggedEntry, Organisations } from '../../services/organisations/organisations';
import type { RouteBinder } from '../binding/route';
import { contextOf } from '../identity/context';
import type { Principal } from '../identity/principal';
import { optionalInstantOf } from '../requests/instant';
import { idPosition, listPage } from '../requests/list-page';
import { invitationView, logEntryView, memberView, organisationView } from '../views/accounts';
import { sendFile } from './payouts';

export interface OrganisationRouteDeps {
  organisations: Organisations;
  accounts: Pick<AccountsService, 'checkPassword' | 'findActingOwner'>;
  loginGuard: Pick<LoginGuard, 'confirm'>;
}

const ORG_POSITION = [/^(?:org|usr)_[0-9a-f]{32}$/];
const MOST_IN_CSV = 10_000;

/** Organisations, their members, invitations and log, and the owner for whom a session acts. */
export function organisationRoutes(binder: RouteBinder, deps: OrganisationRouteDeps): void {
  const { organisations, accounts } = deps;
  binder.bind(createOrganisation, async ({ principal, body }) =>
    organisationView(await organisations.create(principal.userId, body.name)),
  );

  binder.bind(listOrganisations, ({ principal: { userId }, query }) =>
    listPage(
      { list: ['organisations', userId], position: ORG_POSITION, query },
      ([beforeId], limit) => organisations.list(userId, { limit, beforeId }),
      { position: ({ orgId }) => [orgId], view: organisationView },
    ),
  );

  binder.bind(getOrganisation, async ({ principal, params }) =>
    organisationView(await organisations.find(params.org_id, principal.userId)),
  );

  binder.bind(changeOrganisation, async ({ principal, params, body }) => {
    const { name, require_second_factor: requireSecondFactor, time_zone: timeZone } = body;
    const change = { name, requireSecondFactor, timeZone };
    return organisationView(await organisations.change(params.org_id, principal, change));
  });

  bindConversion(binder, deps);
  bindMembers(binder, deps);
  bindInvitations(binder, deps);
  bindLog(binder, deps);

  binder.bind(chooseOwner, async ({ principal: { userId }, body: { owner }, req }) => {
    const chosen = owner === userId ? null : owner;
    if (chosen !== null && !(await accounts.findActingOwner(chosen, userId)))
      throw new MarketError('not_found');
    if (chosen === null) delete req.session.owner;
    else req.session.owner = chosen;
    contextOf(req).choseOwner = true;
    return undefined;
  });
}

function bindConversion(
  binder: RouteBinder,
  { organisations, accounts, loginGuard }: OrganisationRouteDeps,
): void {
  binder.bind(convertAccount, async ({ principal, body, req }) => {
    const { userId } = principal;
    requireCode(principal);
    await loginGuard.confirm(userId, () => accounts.checkPassword(userId, body.password));
    const { organisation, person } = await organisations.convert(userId, body.name);
    // The stored session belongs to the new account already; this keeps the request from writing the old one back.
    req.session.passport = { user: person };
    return { organisation: organisationView(organisation), user_id: person };
  });
}

/** An account with an authenticator app decides this with a code. */
function requireCode({ hasAuthenticator, secondFactor }: Principal): void {
  if (!hasAuthenticator || secondFactor) return;
  throw new MarketError('second_factor_required', {
    message: 'Log in again with a code of your authenticator app (totp_code).',
  });
}

function bindMembers(binder: RouteBinder, { organisations }: OrganisationRouteDeps): void {
  binder.bind(listMembers, ({ principal: { userId }, params: { org_id: orgId }, query }) =>
    listPage(
      { list: ['members', orgId], position: idPosition('usr'), query },
      ([afterId], limit) => organisations.members(orgId, userId, { limit, afterId }),
      { position: (member) => [member.userId], view: memberView },
    ),
  );

  binder.bind(changeMember, async ({ principal, params, body }) => {
    await organisations.changeRole(params.org_id, principal.userId, params.user_id, body.role);
    return undefined;
  });

  binder.bind(removeMember, async ({ principal, params }) => {
    await organisations.remove(params.org_id, principal.userId, params.user_id);
    return undefined;
  });

  binder.bind(handOverOrganisation, async ({ principal, params, body }) => {
    requireCode(principal);
    await organisations.handOver(params.org_id, principal.userId, body.user_id);
    return undefined;
  });
}

function bindInvitations(binder: RouteBinder, { organisations }: OrganisationRouteDeps): void {
  binder.bind(inviteMember, async ({ principal, params, body }) =>
    invitationView(await organisations.invite(params.org_id, principal.userId, body)),
  );

  binder.bind(listInvitations, ({ principal: { userId }, params: { org_id: orgId }, query }) =>
    listPage(
      { list: ['invitations', orgId], position: idPosition('oin'), query },
      ([beforeId], limit) => organisations.invitations(orgId, userId, { limit, beforeId }),
      { position: ({ invitationId }) => [invitationId], view: invitationView },
    ),
  );

  binder.bind(revokeInvitation, async ({ principal, params }) => {
    await organisations.revoke(params.org_id, principal.userId, params.invitation_id);
    return undefined;
  });

  binder.bind(acceptInvitation, async ({ principal, body }) =>
    organisationView(await organisations.accept(principal.userId, body.token)),
  );
}

function bindLog(binder: RouteBinder, { organisations }: OrganisationRouteDeps): void {
  binder.bind(listOrganisationLog, ({ principal: { userId }, params: { org_id: orgId }, query }) => {
    const filter = filterOf(query);
    const { user_id: person, operation, since, until } = query;
    return listPage(
      {
        list: ['organisation-log', orgId, person, operation, since, until],
        position: idPosition('oac'),
        query,
      },
      async ([beforeId], limit) => ({
        rows: await organisations.log(orgId, userId, { ...filter, limit, beforeId }),
        total: MOST_COUNTED + 1,
      }),
      { position: ({ entryId }) => [entryId], view: logEntryView },
    );
  });

  binder.bind(getOrganisationLogCsv, async ({ principal, params, query, res }) => {
    const page = { ...filterOf(query), limit: MOST_IN_CSV, beforeId: undefined };
    const rows = await organisations.log(params.org_id, principal.userId, page);
    return sendFile(
      res,
      'text/csv; charset=utf-8',
      'log.csv',
      Buffer.from(writeCsv([HEADER, ...rows.map(line)])),
    );
  });
}

interface LogQuery {
  user_id?: string;
  operation?: string;
  since?: string;
  until?: string;
}

const filterOf = ({ user_id: person, operation: action, since, until }: LogQuery): LogFilter => ({
  person,
  action,
  since: optionalInstantOf('since', since),
  until: optionalInstantOf('until', until),
});

const HEADER = [
  'at',
  'user_id',
  'name',
  'email',
  'key_id',
  'operation',
  'outcome',
  'subject',
  'network',
  'trace_id',
];

function line(entry: LoggedEntry): string[] {
  const { createdAt, person, name, email, keyId, action, outcome, subject, network, traceId } = entry;
  const who = [person ?? '', name ?? '', email ?? '', keyId ?? ''];
  return [createdAt.toISOString(), ...who, action, outcome ?? '', subject, network ?? '', traceId];
}
