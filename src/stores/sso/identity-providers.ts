/** Identity providers of organisations and the domains that they prove (`migrations/0147_single_sign_on.sql`). */
import type { DefaultRole } from '../../domain/accounts/single-sign-on';
import type { Db } from '../db';

export interface ProviderRow {
  providerId: string;
  orgId: string;
  name: string;
  issuer: string;
  clientId: string;
  sealedSecret: Buffer;
  defaultRole: DefaultRole;
  enabled: boolean;
  createdAt: Date;
}

export interface DomainRow {
  providerId: string;
  domain: string;
  token: string;
  createdAt: Date;
  verifiedAt: Date | null;
}

const PROVIDER = `p.provider_id AS "providerId", p.org_id AS "orgId", p.name, p.issuer, p.client_id AS "clientId",
  p.sealed AS "sealedSecret", p.default_role AS "defaultRole", p.enabled, p.created_at AS "createdAt"`;
const DOMAIN = `d.provider_id AS "providerId", d.domain, d.token, d.created_at AS "createdAt", d.verified_at AS "verifiedAt"`;
/** A provider that may begin sessions. */
const IN_USE = 'p.enabled AND o.ended_at IS NULL';

export async function insertProvider(tx: Db, row: Omit<ProviderRow, 'enabled' | 'createdAt'>): Promise<void> {
  await tx.query(
    `INSERT INTO identity_providers (provider_id, org_id, name, issuer, client_id, sealed, default_role)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [row.providerId, row.orgId, row.name, row.issuer, row.clientId, row.sealedSecret, row.defaultRole],
  );
}

/** The providers of an organisation, the newest first; it has at most a few. */
export async function listProviders(db: Db, orgId: string): Promise<ProviderRow[]> {
  const { rows } = await db.query<ProviderRow>(
    `SELECT ${PROVIDER} FROM identity_providers p WHERE p.org_id = $1 ORDER BY p.provider_id DESC`,
    [orgId],
  );
  return rows;
}

export async function readProvider(
  db: Db,
  orgId: string,
  providerId: string,
): Promise<ProviderRow | undefined> {
  const { rows } = await db.query<ProviderRow>(
    `SELECT ${PROVIDER} FROM identity_providers p WHERE p.org_id = $1 AND p.provider_id = $2`,
    [orgId, providerId],
  );
  return rows[0];
}

/** The provider in use that has proven a domain. */
export async function findProviderOfDomain(db: Db, domain: string): Promise<ProviderRow | undefined> {
  const { rows } = await db.query<ProviderRow>(
    `SELECT ${PROVIDER} FROM identity_provider_domains d JOIN identity_providers p USING (provider_id)
       JOIN organisations o USING (org_id)
      WHERE d.domain = $1 AND d.verified_at IS NOT NULL AND ${IN_USE}`,
    [domain],
  );
  return rows[0];
}

/** The newest provider in use of an organisation. */
export async function findProviderOfOrganisation(db: Db, orgId: string): Promise<ProviderRow | undefined> {
  const { rows } = await db.query<ProviderRow>(
    `SELECT ${PROVIDER} FROM identity_providers p JOIN organisations o USING (org_id)
      WHERE p.org_id = $1 AND ${IN_USE} ORDER BY p.provider_id DESC LIMIT 1`,
    [orgId],
  );
  return rows[0];
}

/** A provider in use. */
export async function findProviderInUse(db: Db, providerId: string): Promise<ProviderRow | undefined> {
  const { rows } = await db.query<ProviderRow>(
    `SELECT ${PROVIDER} FROM identity_providers p JOIN organisations o USING (org_id)
      WHERE p.provider_id = $1 AND ${IN_USE}`,
    [providerId],
  );
  return rows[0];
}

export type ProviderChange = Pick<
  ProviderRow,
  'providerId' | 'name' | 'clientId' | 'sealedSecret' | 'defaultRole' | 'enabled'
>;

export async function updateProvider(tx: Db, row: ProviderChange): Promise<void> {
  await tx.query(
    `UPDATE identity_providers SET name = $2, client_id = $3, sealed = $4, default_role = $5, enabled = $6
      WHERE provider_id = $1`,
    [row.providerId, row.name, row.clientId, row.sealedSecret, row.defaultRole, row.enabled],
  );
}

/** Deletes a provider with its domains and identities. */
export async function deleteProvider(tx: Db, providerId: string): Promise<void> {
  await tx.query('DELETE FROM identity_providers WHERE provider_id = $1', [providerId]);
}

/** Ends the sessions that a provider began. */
export async function deleteSessionsOfProvider(tx: Db, providerId: string): Promise<void> {
  await tx.query(`DELETE FROM sessions WHERE sess ->> 'provider' = $1`, [providerId]);
}

/** Whether an organisation demands logins by its providers. */
export async function readRequireSso(db: Db, orgId: string): Promise<boolean> {
  const { rows } = await db.query<{ required: boolean }>(
    'SELECT require_sso AS required FROM organisations WHERE org_id = $1',
    [orgId],
  );
  return rows[0]?.required === true;
}

export async function setRequireSso(tx: Db, orgId: string, isRequired: boolean): Promise<void> {
  await tx.query('UPDATE organisations SET require_sso = $2 WHERE org_id = $1', [orgId, isRequired]);
}

/** Adds a domain that is to be proven. Returns false if the provider has it. */
export async function insertDomain(
  tx: Db,
  row: Pick<DomainRow, 'providerId' | 'domain' | 'token'>,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'INSERT INTO identity_provider_domains (provider_id, domain, token) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [row.providerId, row.domain, row.token],
  );
  return rowCount === 1;
}

export async function listDomains(db: Db, providerIds: readonly string[]): Promise<DomainRow[]> {
  const { rows } = await db.query<DomainRow>(
    `SELECT ${DOMAIN} FROM identity_provider_domains d WHERE d.provider_id = ANY ($1) ORDER BY d.provider_id, d.domain`,
    [providerIds],
  );
  return rows;
}

/** Marks a domain as proven. That of another provider is a unique violation of `identity_provider_domains_verified`. */
export async function setDomainVerified(db: Db, providerId: string, domain: string): Promise<void> {
  await db.query(
    `UPDATE identity_provider_domains SET verified_at = coalesce(verified_at, now())
      WHERE provider_id = $1 AND domain = $2`,
    [providerId, domain],
  );
}

export async function deleteDomain(tx: Db, providerId: string, domain: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM identity_provider_domains WHERE provider_id = $1 AND domain = $2',
    [providerId, domain],
  );
  return rowCount === 1;
}

/** Whether a provider has proven a domain. */
export async function hasDomain(db: Db, providerId: string, domain: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM identity_provider_domains WHERE provider_id = $1 AND domain = $2 AND verified_at IS NOT NULL`,
    [providerId, domain],
  );
  return rowCount === 1;
}
