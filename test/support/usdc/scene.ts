/** Developers with agents whose price is set in USD, for tests of payouts in USDC. */
import { newId } from '../../../src/kit/ids/ids';
import type { Db } from '../../../src/stores/db';
import { holdRequest, type TestLedger } from '../ledger/ledger';
import { MATURE } from '../payouts/payouts';
import { KEYS, NETWORK, type UsdcChain } from './chain';
import type { TestFacilitator } from './facilitator';
import { newSlug } from '../names';

/** The settings that open the rail on the chain of the test. */
export function usdcSettings(chain: UsdcChain, facilitator: TestFacilitator): Record<string, string> {
  return {
    PAYOUT_USDC: 'true',
    PAYOUT_USDC_NETWORK: NETWORK,
    PAYOUT_USDC_ASSET: chain.asset,
    PAYOUT_USDC_ASSET_NAME: 'USDC',
    PAYOUT_USDC_TREASURY: chain.treasury.address,
    PAYOUT_USDC_TREASURY_KEY: KEYS.treasury,
    PAYOUT_USDC_FACILITATOR_URL: facilitator.url,
    PAYOUT_USDC_RPC_URL: chain.rpc.url,
    PAYOUT_USDC_CONFIRMATIONS: '1',
  };
}

/** A live agent that names `payTo`; empty: one with a price in credits. */
export async function putPricedInUsd(owner: Db, developer: string, payTo: string): Promise<string> {
  const slug = newSlug('priced');
  const agentId = `agt_${slug.replaceAll('-', '_')}_v1`;
  const versionId = newId('agv');
  const x402 = payTo === '' ? {} : { x402: { pay_to: payTo, price_usd: '0.10' } };
  await owner.query('INSERT INTO slugs (slug, developer_user_id) VALUES ($1, $2)', [slug, developer]);
  await owner.query(
    `INSERT INTO agents (agent_id, slug, major, developer_user_id, kind, signing_secret) VALUES ($1, $2, 1, $3, 'http', '')`,
    [agentId, slug, developer],
  );
  await owner.query(
    `INSERT INTO agent_versions (version_id, agent_id, slug, version, major, minor, patch, state, manifest,
       manifest_sha256, public_part, endpoint_url, display_name, description, category, tags, pricing_model,
       price_units, timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable)
     VALUES ($1, $2, $3, '1.0.0', 1, 0, 0, 'submitted', $4, 'x', '{}', 'https://a.example', 'A', 'A', 'other', '{}',
       'per_call', 1000, 30000, 1000, 1, false, false, true)`,
    [versionId, agentId, slug, JSON.stringify({ display_name: 'A "x402" \u0000', ...x402 })],
  );
  await owner.query('UPDATE agents SET serving_version_id = $2 WHERE agent_id = $1', [agentId, versionId]);
  return agentId;
}

/** A charge of an agent's call, captured and mature. */
export async function earnAt(
  t: Pick<TestLedger, 'ledger'>,
  names: { buyer: string; developer: string; agentId: string },
  credits: number,
  maturesAt = MATURE,
): Promise<void> {
  const hold = { ...holdRequest(names.buyer, names.developer, credits), agentId: names.agentId };
  await t.ledger.hold([hold]);
  await t.ledger.capture([{ invocationId: hold.invocationId, grossUnits: hold.amountUnits, maturesAt }]);
}
