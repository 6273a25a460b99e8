/**
 * A chain on this machine with a token like USDC, by `anvil` of Foundry. Its state is kept in a file, and its money is
 * worth nothing.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPublicClient, createWalletClient, getContractAddress, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';

/** A published key, whose account `anvil` funds. It deploys the token and pays the fees of settlements. */
const FACILITATOR_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
/** 10,000 USDC. */
const TREASURY_FUNDS = 10_000_000_000n;

const TOKEN = JSON.parse(readFileSync(new URL('token.json', import.meta.url), 'utf8'));
const ANVIL = fileURLToPath(new URL('../../node_modules/.bin/anvil', import.meta.url));
const POLLING = { pollingInterval: 100 };

/** Starts the chain, or goes on with the state of the file. `treasury`: the address that has the token at first. */
export async function startChain({ port, stateFile, treasury }) {
  const args = [
    '--port',
    port,
    '--chain-id',
    '84532',
    '--state',
    stateFile,
    '--state-interval',
    '20',
    '--quiet',
  ];
  // A block for each transaction at once, and one every ten seconds, so that authorizations end.
  const node = spawn(ANVIL, [...args, '--mixed-mining', '--block-time', '10', '--prune-history', '100'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  node.once('exit', (code) => process.exit(code ?? 1));
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = clientOf(rpcUrl);
  await untilAnswers(client);
  const asset = getContractAddress({ from: client.account.address, nonce: 0n });
  const mint = async (to, value) => {
    const hash = await client.writeContract({
      address: asset,
      abi: TOKEN.abi,
      functionName: 'mint',
      args: [to, value],
    });
    await client.waitForTransactionReceipt({ hash, ...POLLING });
  };
  if ((await client.getCode({ address: asset })) === undefined) {
    const hash = await client.deployContract({ abi: TOKEN.abi, bytecode: TOKEN.bytecode });
    await client.waitForTransactionReceipt({ hash, ...POLLING });
    await mint(treasury, TREASURY_FUNDS);
  }
  return {
    client,
    asset,
    mint,
    /** Sends a request of JSON-RPC to the node. */
    rpc: async (body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
      return answer.json();
    },
    balanceOf: (holder) =>
      client.readContract({ address: asset, abi: TOKEN.abi, functionName: 'balanceOf', args: [holder] }),
    stop: () => node.kill('SIGTERM'),
  };
}

/** Reads and writes as the account of the facilitator. */
function clientOf(url) {
  const transport = http(url, { retryCount: 0 });
  const account = privateKeyToAccount(FACILITATOR_KEY);
  return createWalletClient({ account, chain: baseSepolia, transport, ...POLLING }).extend(publicActions);
}

async function untilAnswers(client) {
  const reader = createPublicClient({
    chain: baseSepolia,
    transport: http(client.transport.url, { retryCount: 0 }),
  });
  for (let tries = 0; tries < 200; tries += 1) {
    if (
      await reader.getChainId().then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error('the local chain did not start');
}
