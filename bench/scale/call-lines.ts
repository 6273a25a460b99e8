/** The rows of finished calls as lines of COPY, by table. Everything follows from the number of a call. */

/** Units: the price of a call, the fee, the net. */
export const [PRICE, FEE, NET] = [1_000, 30, 970];
/** What each buyer has loaded. */
export const LOADED = 10_000_000_000;
export const DAY_MS = 86_400_000;
/** Milliseconds from the acceptance of a call to its hold, and to its charge. */
const [HELD, CHARGED] = [5, 300];
/** Calls take one of so many times. */
const DURATIONS = 7;

export interface Size {
  calls: number;
  days: number;
  buyers: number;
  developers: number;
  agents: number;
  /** The newest calls, whose lots are in no payout yet. Developer 0 has been paid nothing at all. */
  unpaid: number;
}

export interface Fill {
  size: Size;
  startMs: number;
  /** The wallet of buyer 0; the accounts of user n begin 10 n later. */
  firstAccount: number;
  /** The last entry id before those of calls. */
  lastEntry: number;
}

/** Ids of the bench: deterministic, and sorted by time like those of the service. */
const benchId = (prefix: string, ms: number, n: number) => `${prefix}_0${ms.toString(16)}7${hex(n)}`;

/** 19 digits. */
function hex(n: number): string {
  const digits = n.toString(16);
  return '0000000000000000000'.slice(digits.length) + digits;
}

/** The ids of everybody and everything that is not a call, made once. */
const made = new Map<string, string[]>();
function benchUser(prefix: string, n: number): string {
  let ids = made.get(prefix);
  if (!ids) made.set(prefix, (ids = []));
  return (ids[n] ??= `${prefix}_0000000000017${hex(n)}`);
}

/** Every fifth call is of buyer 0, every tenth of developer 0; the others take turns. */
function callOf({ size, startMs }: Fill, n: number) {
  const ms = startMs + msAfterStart(size, n);
  const others = n - Math.floor(n / 5) - 1;
  return {
    n,
    ms,
    id: benchId('inv', ms, n),
    buyer: n % 5 === 0 ? 0 : 1 + (others % (size.buyers - 1)),
    /** Number of earlier calls of the buyer. */
    rank: n % 5 === 0 ? n / 5 : Math.floor(others / (size.buyers - 1)),
    developer: n % 10 === 1 ? 0 : 1 + ((n - Math.floor((n + 8) / 10)) % (size.developers - 1)),
    agent: n % 10 === 1 ? 0 : 1 + (n % (size.agents - 1)),
  };
}
type Call = ReturnType<typeof callOf>;

const msAfterStart = ({ days, calls }: Size, n: number) => Math.floor(n * ((days * DAY_MS) / calls));
let day = { ms: 0, text: '' };
const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);
/** The time as Postgres reads it, without a Date for each. */
function timeOf(ms: number): string {
  const rest = ms % DAY_MS;
  if (ms - rest !== day.ms) day = { ms: ms - rest, text: new Date(ms - rest).toISOString().slice(0, 11) };
  const seconds = Math.floor(rest / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const digits = `${1_000 + (rest % 1_000)}`;
  return `${day.text}${two(hours)}:${two(minutes)}:${two(seconds % 60)}.${digits.slice(1)}Z`;
}
/** 32 hexadecimal digits without an order, so that indexes over them are filled as by random keys. */
const part = (n: number, factor: number) =>
  ((Math.imul(n + 1, factor) >>> 0) + 0x100000000).toString(16).slice(1);
const scrambled = (n: number) =>
  part(n, 0x9e3779b1) + part(n, 0x85ebca6b) + part(n, 0xc2b2ae35) + part(n, 0x27d4eb2f);
const versionOf = ({ agent }: Call) => benchUser('agv', agent);
const buyerOf = ({ buyer }: Call) => benchUser('usr', buyer);
const developerOf = ({ size }: Fill, { developer }: Call) => benchUser('usr', size.buyers + developer);
const agents: string[] = [];
const agentOf = ({ agent }: Call) => (agents[agent] ??= `agt_bench_${agent}`);
const NULL = '\\N';

export interface CallTable {
  name: string;
  columns: string;
  /** False: a table without months. */
  isPartitioned: boolean;
  /** Rows whose ids were made in [from, until), of a call. */
  lines(fill: Fill, call: Call, from: number, until: number): string;
}

const ofCall = (name: string, columns: string, lines: (fill: Fill, call: Call) => string): CallTable => ({
  name,
  columns,
  isPartitioned: true,
  lines: (fill, call, from, until) => (call.ms >= from && call.ms < until ? lines(fill, call) : ''),
});

const invocations = ofCall(
  'invocations',
  `invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface, status, price_units,
   input_sha256, output_sha256, owner, trace_id, tokens_in, tokens_out, duration_ms, charged_units, invoked_at, settled_at`,
  (fill, call) => {
    const trace = scrambled(call.n);
    return (
      `${call.id}\t${buyerOf(call)}\t${developerOf(fill, call)}\t${agentOf(call)}\t${versionOf(call)}\t1.0.0\tinvoke\tsucceeded\t` +
      `${PRICE}\t${trace}${trace}\t${trace}${trace}\tbench-owner-0000000000000000\t${trace}\t12\t34\t${200 + (call.n % DURATIONS) * 20}\t` +
      `${PRICE}\t${timeOf(call.ms)}\t${timeOf(call.ms + CHARGED)}\n`
    );
  },
);

const STEPS = [
  { late: HELD, step: 0, kind: 'invocation_hold', ending: '/hold', what: 'Hold for ' },
  { late: CHARGED, step: 1, kind: 'invocation_charge', ending: '/capture', what: 'Charge for ' },
] as const;
const transactionOf = ({ ms, n }: Call, { late, step }: (typeof STEPS)[number]) =>
  benchId('txn', ms + late, 2 * n + step);

const holds = ofCall(
  'holds',
  `invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units, state, captured_units,
   forwarded_at, forward_count, lease_until, trace_id, created_at, resolved_at, hold_transaction_id, end_transaction_id`,
  (fill, call) => {
    const at = timeOf(call.ms);
    return (
      `${call.id}\t${buyerOf(call)}\t${developerOf(fill, call)}\t${agentOf(call)}\t${versionOf(call)}\t${PRICE}\tcaptured\t` +
      `${PRICE}\t${at}\t1\t${timeOf(call.ms + 60_000)}\t${scrambled(call.n)}\t${at}\t${timeOf(call.ms + CHARGED)}\t` +
      `${transactionOf(call, STEPS[0])}\t${transactionOf(call, STEPS[1])}\n`
    );
  },
);

const earnings = ofCall(
  'earnings',
  `invocation_id, developer_user_id, agent_id, gross_units, fee_units, fee_percent, net_units, matures_at, payout_id,
   created_at`,
  (fill, call) => {
    const isPaid = call.developer !== 0 && call.n < fill.size.calls - fill.size.unpaid;
    const payout = isPaid ? benchUser('pay', call.developer) : NULL;
    const at = timeOf(call.ms);
    return (
      `${call.id}\t${developerOf(fill, call)}\t${agentOf(call)}\t${PRICE}\t${FEE}\t3\t${NET}\t` +
      `${timeOf(call.ms + DAY_MS)}\t${payout}\t${at}\n`
    );
  },
);

const ofTransaction = (
  name: string,
  columns: string,
  lines: (fill: Fill, call: Call, step: (typeof STEPS)[number], id: string) => string,
): CallTable => ({
  name,
  columns,
  isPartitioned: true,
  lines(fill, call, from, until) {
    let text = '';
    for (const step of STEPS) {
      const ms = call.ms + step.late;
      if (ms >= from && ms < until) text += lines(fill, call, step, transactionOf(call, step));
    }
    return text;
  },
});

const transactions = ofTransaction(
  'transactions',
  'transaction_id, kind, reference, invocation_id, agent_id, description, trace_id, created_at',
  (_fill, call, { kind, ending, what }, id) =>
    `${id}\t${kind}\tinvocation/${call.id}${ending}\t${call.id}\t${agentOf(call)}\t${what}${agentOf(call)}\t` +
    `${scrambled(call.n)}\t${timeOf(call.ms)}\n`,
);

const entries = ofTransaction(
  'entries',
  `transaction_id, line, entry_id, account_id, entry_type, amount_units, balance_before_units, balance_after_units,
   account_version, created_at`,
  (fill, call, { step }, id) => {
    const wallet = fill.firstAccount + call.buyer * 10;
    const payable = fill.firstAccount + (call.developer + fill.size.buyers) * 10 + 2;
    const left = LOADED - PRICE * call.rank;
    const first = fill.lastEntry + 7 * call.n;
    const at = timeOf(call.ms);
    const [version, escrowVersion] = [3 * call.rank + 2, 2 * call.rank + 1];
    if (step === 0)
      return (
        `${id}\t1\t${first + 1}\t${wallet}\tinvocation_hold\t-${PRICE}\t${left}\t${left - PRICE}\t${version}\t${at}\n` +
        `${id}\t2\t${first + 2}\t${wallet + 1}\tinvocation_hold\t${PRICE}\t0\t${PRICE}\t${escrowVersion}\t${at}\n`
      );
    return (
      `${id}\t1\t${first + 3}\t${wallet + 1}\tinvocation_release\t-${PRICE}\t${PRICE}\t0\t${escrowVersion + 1}\t${at}\n` +
      `${id}\t2\t${first + 4}\t${wallet}\tinvocation_release\t${PRICE}\t${left - PRICE}\t${left}\t${version + 1}\t${at}\n` +
      `${id}\t3\t${first + 5}\t${wallet}\tinvocation_charge\t-${PRICE}\t${left}\t${left - PRICE}\t${version + 2}\t${at}\n` +
      `${id}\t4\t${first + 6}\t${payable}\tinvocation_earning\t${NET}\t${NULL}\t${NULL}\t${NULL}\t${at}\n` +
      `${id}\t5\t${first + 7}\t4\tplatform_fee\t${FEE}\t${NULL}\t${NULL}\t${NULL}\t${at}\n`
    );
  },
);

const keys: CallTable = {
  ...ofCall(
    'invocation_keys',
    'buyer_user_id, idempotency_key, invocation_id, agent_id, input_sha256',
    (_fill, call) => {
      if (call.n % 5 !== 3) return '';
      const trace = scrambled(call.n);
      return `${buyerOf(call)}\t${trace}\t${call.id}\t${agentOf(call)}\t${trace}${trace}\n`;
    },
  ),
  isPartitioned: false,
};

const isTold = ({ n }: Call) => n % 50 === 0;
const eventOf = ({ id }: Call) => `evt${id.slice(3)}`;

/** The events and deliveries of every fiftieth call. */
export const OUTBOX_TABLES: readonly CallTable[] = [
  ofCall('events', 'event_id, type, agent_id, data, created_at', (_fill, call) =>
    isTold(call)
      ? `${eventOf(call)}\tinvocation.succeeded\t${agentOf(call)}\t{"invocation_id": "${call.id}", "status": "succeeded", ` +
        `"credits_charged": "10.00", "duration_ms": 200}\t${timeOf(call.ms)}\n`
      : '',
  ),
  ofCall(
    'webhook_deliveries',
    `delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, state, attempts, last_status, started_at, created_at,
     finished_at`,
    (_fill, call) => {
      if (!isTold(call)) return '';
      const [event, at] = [eventOf(call), timeOf(call.ms)];
      return (
        `whd${event.slice(3)}\t${event}\twebhook\t${benchUser('whk', 0)}\t${event}\tdelivered\t1\t200\t` +
        `${at}\t${at}\t${at}\n`
      );
    },
  ),
];

/** The ones that take longest first. */
export const CALL_TABLES: readonly CallTable[] = [
  ...[entries, invocations, transactions, holds, earnings, keys],
];

const CHUNK_BYTES = 1 << 18;
/** The lines of a call have fewer bytes. */
const MOST_OF_CALL = 4_096;

/** The lines of a table of the rows made in [from, until), in chunks. */
export function* linesOf(table: CallTable, fill: Fill, from: number, until: number): Generator<Buffer> {
  const { size, startMs } = fill;
  const perMs = size.calls / (size.days * DAY_MS);
  const at = (ms: number) => Math.min(Math.max(Math.floor((ms - startMs) * perMs), 0), size.calls);
  let [buffer, used] = [Buffer.allocUnsafe(CHUNK_BYTES), 0];
  for (let n = at(from - CHARGED - 1_000); n < Math.min(at(until) + 2, size.calls); n += 1) {
    used += buffer.write(table.lines(fill, callOf(fill, n), from, until), used, 'latin1');
    if (used < CHUNK_BYTES - MOST_OF_CALL) continue;
    yield buffer.subarray(0, used);
    [buffer, used] = [Buffer.allocUnsafe(CHUNK_BYTES), 0];
  }
  if (used > 0) yield buffer.subarray(0, used);
}
