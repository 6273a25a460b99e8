import { loadConfig } from '../../config';
import { createEgress } from '../../egress/agent-call';
import { chooseUsdcRail } from './usdc-rail';

const KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const COMPLETE = {
  PAYOUT_USDC: 'true',
  PAYOUT_USDC_TREASURY: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  PAYOUT_USDC_TREASURY_KEY: KEY,
  PAYOUT_USDC_FACILITATOR_URL: 'https://facilitator.example.com/',
  PAYOUT_USDC_RPC_URL: 'https://node.example.com/secret-path',
};

function choose(settings: Record<string, string>) {
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://x', ...settings });
  return chooseUsdcRail({ config, egress: createEgress(config) });
}

it('is off unless its switch is on, whatever the other settings are', () => {
  expect(choose({})).toBeUndefined();
  expect(choose({ ...COMPLETE, PAYOUT_USDC: 'false' })).toBeUndefined();
});

it('is on with everything that it needs', () => {
  expect(choose(COMPLETE)).toMatchObject({
    network: 'eip155:8453',
    domain: { chainId: 8453 },
    confirmations: 12,
  });
});

it.each([
  [
    'nothing but the switch',
    Object.keys(COMPLETE).slice(1),
    'PAYOUT_USDC_TREASURY, PAYOUT_USDC_TREASURY_KEY, ',
  ],
  ['no key', ['PAYOUT_USDC_TREASURY_KEY'], 'PAYOUT_USDC_TREASURY_KEY'],
  ['no node', ['PAYOUT_USDC_RPC_URL'], 'PAYOUT_USDC_RPC_URL'],
])('does not start with %s', (_what, without, named) => {
  const settings = Object.entries(COMPLETE).filter(([name]) => !without.includes(name));
  expect(() => choose(Object.fromEntries(settings))).toThrow(named);
});

it.each([
  [{ PAYOUT_USDC_TREASURY: '0x52908400098527886E0F7030069857D2E4169EE7' }, 'is not the private key of'],
  [
    { PAYOUT_USDC_TREASURY: '0x70997970c51812dc3A010C7d01b50e0d17dc79C8' },
    'PAYOUT_USDC_TREASURY must be an EVM address',
  ],
  [{ PAYOUT_USDC_TREASURY_KEY: 'abc' }, 'PAYOUT_USDC_TREASURY_KEY is not'],
  [{ PAYOUT_USDC_ASSET: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }, 'PAYOUT_USDC_ASSET is not USDC'],
  [{ PAYOUT_USDC_ASSET: 'usdc' }, 'PAYOUT_USDC_ASSET must be an EVM address'],
  [{ PAYOUT_USDC_CONFIRMATIONS: '0' }, 'PAYOUT_USDC_CONFIRMATIONS must be a whole number'],
  [{ PAYOUT_USDC_VALID_SECONDS: '59' }, 'PAYOUT_USDC_VALID_SECONDS must be a whole number'],
  [{ PAYOUT_USDC_RPC_URL: 'http://10.0.0.1/secret-path' }, 'PAYOUT_USDC_RPC_URL may not be called'],
  [{ PAYOUT_USDC_FACILITATOR_URL: 'https://localhost/' }, 'PAYOUT_USDC_FACILITATOR_URL may not be called'],
])('does not start with %j, and shows no secret', (wrong, message) => {
  const start = () => choose({ ...COMPLETE, ...wrong });
  expect(start).toThrow(message);
  expect(start).not.toThrow(/secret-path|59c6995e/);
});
