/** The audit log of organisations: one entry for each request of a member that changes something, calls excepted. */
import type { Request } from 'express';
import type { Operation } from '../../contract/operation';
import { permissionOf } from '../../contract/permissions';
import { isOfMembers } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import type { Organisations } from '../../services/organisations/organisations';
import type { RequestContext } from './context';
import { actsForOrganisation, type Principal } from './principal';

export interface OwnerLog {
  /** Does the work of a request; a change is noted before it begins, and its outcome behind it. */
  during: <T>(
    operation: Operation,
    req: Request,
    context: RequestContext,
    work: () => Promise<T>,
  ) => Promise<T>;
}

export function createOwnerLog(organisations: Pick<Organisations, 'note'>): OwnerLog {
  return {
    async during(operation, req, { principal, traceId }, work) {
      const orgId = principal ? organisationOf(operation, req, principal) : undefined;
      if (!principal || orgId === undefined) return work();
      const noteOutcome = await organisations.note({
        orgId,
        person: principal.person,
        keyId: principal.key?.keyId ?? null,
        action: operation.id,
        subject: Object.values(req.params).join(' '),
        network: clientNetwork(req.ip),
        userAgent: req.get('user-agent') ?? null,
        traceId,
      });
      try {
        const result = await work();
        await noteOutcome?.('done');
        return result;
      } catch (error) {
        await noteOutcome?.(error instanceof MarketError ? error.code : 'internal_error');
        throw error;
      }
    },
  };
}

/** The organisation that a request changes. One that changes the organisation itself names it in its path. */
function organisationOf(operation: Operation, req: Request, principal: Principal): string | undefined {
  if (operation.method === 'get') return undefined;
  const inPath = operation.tag === 'Organisations' ? req.params['org_id'] : undefined;
  if (typeof inPath === 'string') return inPath;
  const permission = permissionOf(operation);
  const isChange = isOfMembers(permission) && permission !== 'call' && permission !== 'view';
  return isChange && actsForOrganisation(principal) ? principal.userId : undefined;
}
