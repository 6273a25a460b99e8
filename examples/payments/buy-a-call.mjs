/**
 * Buys a call without an account, with the client of x402: `node examples/payments/buy-a-call.mjs [<input>]`. Run
 * `npm start -- --payments` first. It makes a new key, which the sandbox gives one USDC.
 */
import { decodePaymentResponseHeader } from '@x402/core/http';
import { x402Client } from '@x402/core/client';
import { toClientEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { post, runtime } from './local.mjs';

const input = JSON.parse(process.argv[2] ?? '{"quantity":"26.2 mi","to":"km"}');
const account = privateKeyToAccount(generatePrivateKey());
const balance = async () => {
  const call = `0x70a08231${account.address.slice(2).toLowerCase().padStart(64, '0')}`;
  const params = [{ to: runtime.payments_asset, data: call }, 'latest'];
  const { text } = await post('/rpc', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }));
  return Number(BigInt(JSON.parse(text).result)) / 1e6;
};

await post('/faucet', JSON.stringify({ address: account.address }));
console.log(`${account.address} has ${await balance()} USDC and no account`);

const scheme = new ExactEvmScheme(toClientEvmSigner(account));
// Its default limits know the tokens of real chains only.
const client = x402Client.fromConfig({
  schemes: [{ network: 'eip155:*', client: scheme }],
  spendControls: false,
});
const pay = wrapFetchWithPayment(fetch, client);
const begun = Date.now();
const answer = await pay(`${runtime.api_url}/v1/agents/agt_unit_converter_v1/invoke`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ input }),
});
const { output, error } = await answer.json();
console.log(`${answer.status} in ${Date.now() - begun} ms: ${JSON.stringify(output ?? error)}`);
const receipt = answer.headers.get('payment-response');
if (receipt) console.log(`transaction ${decodePaymentResponseHeader(receipt).transaction}`);
console.log(`${account.address} has ${await balance()} USDC`);
