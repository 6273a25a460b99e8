/** What operators see of payments by x402: all of them, those of an address, of a state and of a day. */
import { request } from '../../support/catalogue/publishing';
import { register, type TestUser } from '../../support/market';
import { startAgent } from '../../support/agents/test-agent';
import { callOf, newPayer, type Payer } from '../../support/x402/paying';
import { actsOn, INPUT, usePaidScene } from '../../support/x402/paid-scene';

const scene = usePaidScene();
const { invokeUrl, publish } = actsOn(scene);
let operator: TestUser;

interface Listed {
  payment_id: string;
  state: string;
  payer: string;
  credits: number;
  invocation_id: string | null;
}
interface Page {
  items: Listed[];
  next_cursor: string | null;
  total?: number;
}

beforeAll(async () => {
  operator = await register(scene.market, 'buyer');
  await scene.market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});

const read = <T>(path: string, who = operator) =>
  request<T>(scene.market, who, 'GET', `/v1/operator/x402-payments${path}`);
const today = () => new Date().toISOString().slice(0, 10);

async function paying(): Promise<Payer> {
  const payer = await newPayer(scene.chain, 100_000n);
  expect((await payer.fetch(scene.url, callOf(INPUT))).status).toBe(200);
  return payer;
}

/** A payment whose call failed. */
async function failing(): Promise<Payer> {
  const broken = await startAgent({ behaviour: { kind: 'status', status: 500 } });
  const payer = await newPayer(scene.chain, 100_000n);
  const target = invokeUrl(await publish({ credits: 10 }, broken.url));
  expect((await payer.fetch(target, callOf(INPUT))).status).toBe(502);
  await broken.stop();
  return payer;
}

it('lists payments by address in any case, by state and by day, page by page', async () => {
  const [paid, failed] = [await paying(), await failing()];
  const all = await read<Page>('?limit=1');
  expect([all.status, all.body.items.length]).toEqual([200, 1]);
  expect(all.body.items[0]).toMatchObject({ payer: failed.address.toLowerCase(), state: 'released' });
  const next = await read<Page>(`?limit=1&cursor=${all.body.next_cursor}`);
  expect(next.body.items[0]).toMatchObject({
    payer: paid.address.toLowerCase(),
    state: 'settled',
    credits: 10,
  });
  const own = await read<Page>(`?address=${paid.address}`);
  expect([own.body.total, own.body.items.map(({ state }) => state)]).toEqual([1, ['settled']]);
  expect((await read<Page>(`?address=${paid.address}&state=expired`)).body).toMatchObject({
    items: [],
    total: 0,
  });
  const ofDay = await read<Page>(`?day=${today()}&state=settled`);
  expect(ofDay.body.items.map(({ payer }) => payer)).toContain(paid.address.toLowerCase());
  expect((await read<Page>('?day=2020-01-01')).body).toMatchObject({ items: [], total: 0 });
});

it('shows the call of a payment and the credits of its address', async () => {
  const payer = await paying();
  const { items } = (await read<Page>(`?address=${payer.address}`)).body;
  const { body, status } = await read(`/${items[0]?.payment_id}`);
  expect([status, body]).toMatchObject([
    200,
    {
      state: 'settled',
      call_status: 'succeeded',
      charged_credits: 10,
      address_credits: 0,
      next_look_at: null,
      refunds: [],
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) as unknown,
    },
  ]);
  const found = await request<{ items: { kind: string }[] }>(
    scene.market,
    operator,
    'GET',
    `/v1/operator/lookup?q=${items[0]?.payment_id}`,
  );
  expect(found.body.items).toMatchObject([{ kind: 'account' }]);
});

it.each([
  ['?state=paid', 422],
  ['?address=0x12', 422],
  ['?day=2026-02-30', 422],
  ['?cursor=none', 422],
  ['/xpm_1', 404],
  [`/xpm_${'0'.repeat(32)}`, 404],
])('refuses %s with %i', async (path, status) => {
  expect((await read(path)).status).toBe(status);
});

it('is closed to buyers', async () => {
  const buyer = await register(scene.market, 'buyer');
  expect((await read('', buyer)).status).toBe(403);
});
