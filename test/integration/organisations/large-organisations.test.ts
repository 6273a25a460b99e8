/** An organisation of 1,000 members, and a person in 200 organisations: what pages, requests and the log read. */
import { MAX_MEMBERS, MAX_ORGANISATIONS } from '../../../src/domain/accounts/roles';
import { apiKeySha256 } from '../../../src/kit/crypto/api-key-format';
import { newId } from '../../../src/kit/ids/ids';
import { findKeyCaller } from '../../../src/stores/accounts/api-keys';
import { insertLogEntry, listLog } from '../../../src/stores/organisations/log';
import { findActingOwner } from '../../../src/stores/organisations/members';
import { addMembers, companyWithKeys, organisation } from '../../support/accounts/organisation-rows';
import { request } from '../../support/catalogue/publishing';
import { meterRows, type Statement } from '../../support/ledger/rows-read';
import { register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket({ operations: false });
/** Entries of the log of the large organisation, and of another one. */
const LOGGED = 20_000;
/** 20,000 organisations with three members each, and keys of other accounts. */
const OTHERS = [
  `INSERT INTO users (user_id, email, password_hash, display_name, role, kind)
   SELECT 'org_' || md5(n::text), 'org_' || md5(n::text), '', 'Other', 'buyer', 'organisation' FROM generate_series(1, 20000) n
    WHERE $1::text IS NOT NULL`,
  `INSERT INTO organisations (org_id, contact_email, created_by)
   SELECT 'org_' || md5(n::text), 'office@other.example', $1 FROM generate_series(1, 20000) n`,
  `INSERT INTO users (user_id, email, password_hash, display_name, role)
   SELECT 'usr_' || md5(n::text), n || '@other.example', '', 'Other', 'buyer' FROM generate_series(1, 60000) n
    WHERE $1::text IS NOT NULL`,
  `INSERT INTO organisation_members (org_id, user_id, role)
   SELECT 'org_' || md5((1 + n % 20000)::text), 'usr_' || md5(n::text), 'viewer' FROM generate_series(1, 60000) n
    WHERE $1::text IS NOT NULL`,
  `INSERT INTO api_keys (key_id, user_id, name, scopes, hint)
   SELECT 'key_' || md5(n::text), 'usr_' || md5(n::text), 'a key', '{agents:invoke}', 'abcd' FROM generate_series(1, 5000) n
    WHERE $1::text IS NOT NULL`,
];
/** Rows that the statement of one request reads at most, besides those of a page. */
const FEW = 5;

let ada: TestUser;
let orgId: string;
let company: Awaited<ReturnType<typeof companyWithKeys>>;
let measure: (work: () => Promise<unknown>) => Promise<Statement[]>;

beforeAll(async () => {
  ada = await register(market, 'buyer');
  orgId = await organisation(market, { owner: ada });
  await addMembers(market, orgId, MAX_MEMBERS - 1);
  for (let at = 1; at < MAX_ORGANISATIONS; at += 1) await organisation(market, { owner: ada });
  company = await companyWithKeys(market, { members: MAX_MEMBERS, credits: 10 });
  for (const [id, person] of [
    [orgId, ada.userId],
    [company.orgId, null],
  ] as const)
    // prettier-ignore
    await market.owner.query(
      `INSERT INTO organisation_actions (entry_id, org_id, person, action, subject, trace_id, outcome)
       SELECT 'oac_' || replace(uuidv7()::text, '-', ''), $1, $2, 'createKey', '', 'trace', 'done' FROM generate_series(1, $3::int)`,
      [id, person, LOGGED],
    );
  // Other organisations and their members, so that a statement that reads them all is seen.
  for (const sql of OTHERS) await market.owner.query(sql, [ada.userId]);
  await market.owner.query('ANALYZE');
  measure = await meterRows(market.database.name, [market.container.pool]);
}, 180_000);

interface Page {
  items: Record<string, string>[];
  next_cursor: string | null;
  total?: number;
}

/** All pages of a list, each item by its id. */
async function walk(path: string, id: string): Promise<{ ids: string[]; pages: Page[] }> {
  const pages: Page[] = [];
  let cursor: string | null = null;
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const reply: { status: number; body: Page } = await request<Page>(
      market,
      ada,
      'GET',
      `${path}?limit=100${more}`,
    );
    expect(reply.status).toBe(200);
    pages.push(reply.body);
    cursor = reply.body.next_cursor;
  } while (cursor !== null && pages.length < 30);
  return { ids: pages.flatMap(({ items }) => items.map((item) => item[id] ?? '')), pages };
}

const most = (statements: readonly Statement[]) => Math.max(...statements.map(({ rowsRead }) => rowsRead));

it('pages through 1,000 members, each once', async () => {
  const { ids, pages } = await walk(`/v1/organisations/${orgId}/members`, 'user_id');
  expect([ids.length, new Set(ids).size, pages.length]).toEqual([MAX_MEMBERS, MAX_MEMBERS, 10]);
  expect(pages.map(({ total }) => total)).toEqual(pages.map(() => MAX_MEMBERS));
});

it('pages through 200 organisations of one person, each once', async () => {
  const { ids, pages } = await walk('/v1/organisations', 'org_id');
  expect([ids.length, new Set(ids).size, pages.length]).toEqual([MAX_ORGANISATIONS, MAX_ORGANISATIONS, 2]);
});

it.each([
  ['members', () => `/v1/organisations/${orgId}/members?limit=100`, MAX_MEMBERS],
  ['organisations', () => '/v1/organisations?limit=100', 5 * MAX_ORGANISATIONS],
  ['the log', () => `/v1/organisations/${orgId}/log?limit=100`, 202],
])('reads for a page of %s no rows of other organisations', async (_name, path, mostRows) => {
  await request(market, ada, 'GET', path());
  const statements = await measure(async () => {
    expect((await request(market, ada, 'GET', path())).status).toBe(200);
  });
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.filter(({ rowsRead }) => rowsRead > mostRows)).toEqual([]);
});

it('finds the owner of a request by few rows: X-Owner, the chosen owner, and a key of a member', async () => {
  const { pool } = market.container;
  const named = await measure(() => findActingOwner(pool, orgId, ada.userId));
  expect(most(named)).toBeLessThanOrEqual(FEW);
  const [key = ''] = company.keys;
  const byKey = await measure(async () => {
    expect(await findKeyCaller(pool, apiKeySha256(key))).toMatchObject({ user_id: company.orgId });
  });
  expect(most(byKey)).toBeLessThanOrEqual(FEW);
  const choose = await fetch(`${market.url}/v1/auth/owner`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', cookie: ada.cookie },
    body: JSON.stringify({ owner: orgId }),
  });
  expect(choose.status).toBeLessThan(300);
  const headers = { cookie: ada.cookie };
  const chosen = await measure(() => fetch(`${market.url}/v1/billing/balance`, { headers }));
  expect(chosen.length).toBeGreaterThan(0);
  expect(most(chosen)).toBeLessThanOrEqual(2 * FEW);
});

it('writes and reads the log by few rows, whatever its length', async () => {
  const { pool } = market.container;
  const entry = {
    entryId: newId('oac'),
    orgId,
    person: ada.userId,
    keyId: null,
    action: 'deleteKey',
    subject: '',
  };
  const written = await measure(async () => {
    const more = { network: null, userAgent: null, traceId: 'trace' };
    expect(await insertLogEntry(pool, { ...entry, ...more })).toBe(true);
  });
  expect(most(written)).toBeLessThanOrEqual(FEW);
  const read = await measure(async () => {
    expect(await listLog(pool, orgId, { limit: 100, beforeId: undefined })).toHaveLength(100);
  });
  expect(most(read)).toBeLessThanOrEqual(202);
  // No entry of 40,000 has this member, one has this operation, and none is so old.
  const [since, until] = [new Date(Date.now() - 3_600_000), new Date(Date.now() - 1_800_000)];
  for (const filter of [{ person: 'usr_none' }, { action: 'deleteKey' }, { since, until }]) {
    const found = await measure(() => listLog(pool, orgId, { limit: 100, beforeId: undefined, ...filter }));
    expect(most(found)).toBeLessThanOrEqual(202);
  }
});
