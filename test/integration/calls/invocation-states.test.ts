import {
  INVOCATION_TRANSITIONS,
  mayMove,
  type InvocationStatus,
} from '../../../src/domain/calls/invocation-state';
import { newId, newTraceId } from '../../../src/kit/ids/ids';
import { withClient } from '../../../src/runtime/postgres/database';
import { createTestDatabase, type TestDatabase } from '../../support/stack/database';

const STATUSES = Object.keys(INVOCATION_TRANSITIONS) as InvocationStatus[];
const MOVES = STATUSES.flatMap((from) =>
  STATUSES.filter((to) => to !== from).map((to) => [from, to] as const),
);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it.each(MOVES)(
  'moves a call from %s to %s in the database exactly when the table says so',
  async (from, to) => {
    const moved = await withClient(database.ownerUrl, async (client) => {
      const id = newId('inv');
      await client.query(
        `INSERT INTO invocations (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, version, surface,
         status, price_units, input_sha256, owner, trace_id, charged_units, settled_at)
       VALUES ($1, 'usr_b', 'usr_d', 'agt_x_v1', 'agv_x', '1.0.0', 'invoke', $2, 100, 'hash', 'owner', $3, 100, now())`,
        [id, from, newTraceId()],
      );
      return client.query('UPDATE invocations SET status = $2 WHERE invocation_id = $1', [id, to]).then(
        () => true,
        () => false,
      );
    });
    expect(moved).toBe(mayMove(from, to));
  },
);
