/**
 * A crowd of developers with earnings for Mondays in a row, made by the ledger's own functions, and what each Monday
 * has to make of each of them: worked out here once more, from what they earned alone.
 */
import type { Client } from 'pg';
import type { PayoutMethod } from '../../../src/domain/payouts/rails';
import type { Cipher } from '../../../src/kit/crypto/cipher';
import { newId } from '../../../src/kit/ids/ids';
import { createLedgerService } from '../../../src/services/ledger/ledger';
import { methodContext, taxFormContext } from '../../../src/services/payouts/payout-accounts';
import { holdRequest } from '../ledger/ledger';
import { topUp } from '../market';
import { DETAILS } from './payouts';
import { testPool } from '../stack/pool';

const WEEK_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const AT_ONCE = 250;
/** The developer's share of each credit, in units; the rest is the fee. */
const NET_UNITS = 97;
const FRACTION = 100_000_000_000n;

/** The outcome of a share; all but `paid` and `frozen` are reasons for a roll-over. */
type Fate =
  'paid' | 'frozen' | 'below_minimum' | 'tax_form_required' | 'no_payout_method' | 'method_unavailable';
const FATES: readonly Fate[] = [
  'below_minimum',
  'tax_form_required',
  'frozen',
  'no_payout_method',
  'method_unavailable',
];
/** Every twentieth developer is each of FATES, and the one after them has earned as much as needs a tax form. */
const CYCLE = 20;
const TAXED = FATES.length;
const METHODS = ['ach', 'swift', 'upi'] as const;

export interface CrowdMember {
  userId: string;
  fate: Fate;
  method: PayoutMethod | null;
  hasTaxForm: boolean;
  /** For each Monday, the credits of the calls that have matured by then and not by the one before. */
  weeks: number[][];
}

export interface ExpectedPayout {
  status: 'paid' | 'rolled_over';
  reason: string | null;
  method: PayoutMethod | null;
  lotsUnits: number;
  carriedUnits: number;
  amountUnits: number;
  remainderUnits: number;
  amountMinor: number | null;
}

/** Where the crowd is to live. */
export interface CrowdPlace {
  owner: Client;
  /** The connection of the app role. */
  appUrl: string;
  cipher: Cipher;
}

export interface Crowd {
  members: CrowdMember[];
  mondays: Date[];
  /** Rupees of a dollar on each Monday, in millionths. */
  rates: bigint[];
}

/** Makes `size` developers with three or four lots for each Monday, and one that matures after the last. */
export async function makeCrowd(place: CrowdPlace, size: number, mondays: Date[]): Promise<Crowd> {
  const rates = mondays.map((_monday, week) => 84_123_457n + BigInt(week) * 310_203n);
  const members = Array.from({ length: size }, (_, index) => memberOf(index, mondays.length));
  await insertUsers(place.owner, members);
  await insertMethods(place, members);
  await insertTaxForms(place, members);
  const frozen = members.filter(({ fate }) => fate === 'frozen').map(({ userId }) => userId);
  await place.owner.query('INSERT INTO frozen_wallets (user_id) SELECT unnest($1::text[])', [frozen]);
  for (const [week, rate] of rates.entries()) await insertRate(place.owner, mondays[week], rate);
  await earnAll(place, members, mondays);
  return { members, mondays, rates };
}

function memberOf(index: number, weeks: number): CrowdMember {
  const turn = index % CYCLE;
  const fate = FATES[turn] ?? 'paid';
  const method = METHODS[index % METHODS.length] ?? 'ach';
  const lots = (week: number): number[] => {
    if (fate === 'below_minimum') return [3, 5, 7 + week];
    const small = [11 + (index % 13), 301 + (index % 7) + week, 5_200 + (index % 997)];
    return turn === TAXED || fate === 'tax_form_required' ? [...small, 70_000] : small;
  };
  return {
    userId: newId('usr'),
    fate,
    method: fate === 'no_payout_method' ? null : fate === 'method_unavailable' ? 'usdc' : method,
    hasTaxForm: turn === TAXED,
    weeks: Array.from({ length: weeks }, (_, week) => lots(week)),
  };
}

async function insertUsers(owner: Client, members: readonly CrowdMember[]): Promise<void> {
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, developer_id)
     SELECT u.id, u.id || '@example.test', '-', 'Crowd', 'developer', 'dev_' || substr(u.id, 5)
       FROM unnest($1::text[]) u(id)`,
    [members.map(({ userId }) => userId)],
  );
}

async function insertMethods({ owner, cipher }: CrowdPlace, members: readonly CrowdMember[]): Promise<void> {
  const rows: { id: string; userId: string; method: string; sealed: Buffer }[] = [];
  for (const { userId, method } of members) {
    if (method === null) continue;
    const id = newId('pmt');
    const details =
      method === 'usdc'
        ? { address: '0x52908400098527886E0F7030069857D2E4169EE7', network: 'base' }
        : DETAILS[method];
    const sealed = await cipher.seal(Buffer.from(JSON.stringify(details)), methodContext(id));
    rows.push({ id, userId, method, sealed });
  }
  await owner.query(
    `INSERT INTO payout_methods (method_id, developer_user_id, method, sealed, masked)
     SELECT m.id, m.user_id, m.method, m.sealed, '{}'
       FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) m(id, user_id, method, sealed)`,
    [
      rows.map(({ id }) => id),
      rows.map(({ userId }) => userId),
      rows.map(({ method }) => method),
      rows.map(({ sealed }) => sealed),
    ],
  );
}

async function insertTaxForms({ owner, cipher }: CrowdPlace, members: readonly CrowdMember[]): Promise<void> {
  for (const { userId } of members.filter(({ hasTaxForm }) => hasTaxForm)) {
    const id = newId('tax');
    const sealed = await cipher.seal(Buffer.from('{}'), taxFormContext(id));
    await owner.query(
      `INSERT INTO tax_forms (form_id, developer_user_id, kind, sealed, masked, status, reviewed_at, reviewed_by)
       VALUES ($1, $2, 'w9', $3, '{}', 'accepted', now(), $2)`,
      [id, userId, sealed],
    );
  }
}

async function insertRate(owner: Client, monday: Date | undefined, rate: bigint): Promise<void> {
  await owner.query(
    `INSERT INTO fx_rates (base, quote, rate, observed_at, source, loaded_by)
     VALUES ('USD', 'INR', $1::numeric / 1000000, $2::timestamptz - interval '12 hours', 'test', 'test')`,
    [String(rate), monday],
  );
}

/** Calls of one buyer, held and captured as they are in life. */
async function earnAll(
  { owner, appUrl }: CrowdPlace,
  members: readonly CrowdMember[],
  mondays: readonly Date[],
): Promise<void> {
  const buyer = newId('usr');
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role)
     VALUES ($1, $1 || '@example.test', '-', 'Buyer of a crowd', 'buyer')`,
    [buyer],
  );
  const last = mondays.at(-1)?.getTime() ?? 0;
  const lots = members.flatMap(({ userId, weeks }) => [
    ...weeks.flatMap((credits, week) => {
      // At the very moment of the Monday: that is still in time.
      const maturesAt = new Date((mondays[week]?.getTime() ?? 0) - (week % 2) * DAY_MS);
      return credits.map((each) => ({ request: holdRequest(buyer, userId, each), maturesAt }));
    }),
    { request: holdRequest(buyer, userId, 100), maturesAt: new Date(last + WEEK_MS) },
  ]);
  const credits = lots.reduce((sum, { request }) => sum + request.amountUnits, 0) / 100;
  await topUp(owner, buyer, credits);
  const pool = testPool(appUrl, { max: 1 });
  const ledger = createLedgerService({ pool });
  for (let from = 0; from < lots.length; from += AT_ONCE) {
    const part = lots.slice(from, from + AT_ONCE);
    const leaseUntil = new Date(Date.now() + 60_000);
    await ledger.hold(part.map(({ request }) => ({ ...request, leaseUntil })));
    await ledger.capture(
      part.map(({ request: { invocationId, amountUnits: grossUnits }, maturesAt }) => ({
        invocationId,
        grossUnits,
        maturesAt,
      })),
    );
  }
  await pool.end();
}

/** The expected outcome of a developer for each Monday; undefined: no payout and no roll-over. */
export function expectedPayouts(
  { weeks, fate, method }: CrowdMember,
  rates: readonly bigint[],
): ExpectedPayout[] {
  if (fate === 'frozen') return [];
  let [waiting, carried] = [0, 0];
  return weeks.map((credits, week) => {
    waiting += credits.reduce((sum, each) => sum + each, 0) * NET_UNITS;
    const total = waiting + carried;
    const taken = { lotsUnits: waiting, carriedUnits: carried, method };
    if (fate !== 'paid') {
      const nothing = { amountUnits: total, remainderUnits: 0, amountMinor: null };
      return { status: 'rolled_over', reason: fate, ...taken, ...nothing };
    }
    const [amountUnits, amountMinor] = exchanged(total, method === 'upi' ? rates[week] : undefined);
    carried = total - amountUnits;
    waiting = 0;
    return { status: 'paid', reason: null, ...taken, amountUnits, remainderUnits: carried, amountMinor };
  });
}

/** The fewest units that buy as many of the smallest units as all of them do, and how many those are. */
function exchanged(units: number, rate: bigint | undefined): [units: number, minor: number] {
  if (rate === undefined) return [units - (units % 100), Math.floor(units / 100)];
  // Spot in millionths, less half a percent: in thousand millionths. A hundred units are a cent.
  const applied = rate * 995n;
  const minor = (BigInt(units) * applied) / FRACTION;
  const used = (minor * FRACTION + applied - 1n) / applied;
  return [Number(used), Number(minor)];
}
