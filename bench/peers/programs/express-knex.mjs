/** Express and knex, not durable, with the statements that such a service writes without SQL functions. */
import knexFactory from 'knex';
import { forward, PRICE } from './steps.mjs';
import { serve } from './server.mjs';

const knex = knexFactory({ client: 'pg', connection: process.env.LEAN_URL, pool: { min: 0, max: 16 } });
const FEE = PRICE - (PRICE * 97) / 100;

serve(async (id, buyer, task) => {
  await knex.transaction(async (tx) => {
    await tx('calls').insert({ id, buyer, price: PRICE, status: 'held' });
    const taken = await tx('wallets')
      .where({ buyer })
      .andWhere('units', '>=', PRICE)
      .decrement('units', PRICE);
    if (taken !== 1) throw new Error('insufficient credits');
    await tx('entries').insert([
      { call_id: id, account: 'wallet', units: -PRICE },
      { call_id: id, account: 'escrow', units: PRICE },
    ]);
  });
  const output = await forward(id, task);
  await knex.transaction(async (tx) => {
    await tx('calls').where({ id, status: 'held' }).update({ status: 'succeeded', output });
    await tx('entries').insert([
      { call_id: id, account: 'escrow', units: -PRICE },
      { call_id: id, account: 'payable', units: PRICE - FEE },
      { call_id: id, account: 'fees', units: FEE },
    ]);
  });
  return output;
});
