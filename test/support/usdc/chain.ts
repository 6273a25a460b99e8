/**
 * A chain of one's own with a token like USDC (examples/payments/token.sol), by `anvil`, and its JSON-RPC over HTTPS
 * where egress may reach it. Its clock can be set ahead, and each transaction has its block at once.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPublicClient, createWalletClient, getAddress, http, type Abi, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { freePort, waitUntil } from '../../../src/runtime/processes/processes';
import { startJsonServer, type JsonServer } from './json-server';

const ROOT = join(__dirname, '../../..');

export const NETWORK = 'eip155:84532';

/** The published keys whose accounts anvil funds for fees. */
export const KEYS = {
  facilitator: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  treasury: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
} as const;

export const TOKEN = JSON.parse(readFileSync(join(ROOT, 'examples/payments/token.json'), 'utf8')) as {
  abi: Abi;
  bytecode: Hex;
};

const WALLET = JSON.parse(readFileSync(join(__dirname, 'wallet.json'), 'utf8')) as typeof TOKEN;

export interface UsdcChain {
  /** HTTPS; `rpc.fail` makes the node silent. */
  rpc: JsonServer;
  /** The contract. */
  asset: Hex;
  treasury: PrivateKeyAccount;
  client: ReturnType<typeof clientOf>;
  /** USDC in smallest units. */
  mint(to: string, value: bigint): Promise<void>;
  balanceOf(holder: string): Promise<bigint>;
  /** Deploys a contract account whose signatures are those of a key. Returns its address. */
  deployWallet(owner: Hex): Promise<Hex>;
  /** Puts a contract at an address. */
  setCode(address: string, code: Hex): Promise<void>;
  /** Blocks that nothing is in; the last one `seconds` later than now. */
  mine(blocks: number, seconds?: number): Promise<void>;
  stop(): Promise<void>;
}

const ANVIL = join(ROOT, 'node_modules/.bin/anvil');

export async function startChain(host = '127.77.0.14', chainId = 84532): Promise<UsdcChain> {
  const port = await freePort();
  const args = ['--port', String(port), '--chain-id', String(chainId), '--silent'];
  const node = spawn(ANVIL, args, { stdio: 'ignore', detached: true });
  const client = clientOf(`http://127.0.0.1:${port}`);
  const send = (method: string, params: unknown[] = []) =>
    client.request({ method, params } as unknown as Parameters<typeof client.request>[0]);
  await waitUntil(
    () =>
      send('eth_chainId').then(
        () => true,
        () => false,
      ),
    20_000,
  );
  const hash = await client.deployContract({ abi: TOKEN.abi, bytecode: TOKEN.bytecode });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const asset = getAddress(contractAddress ?? '');
  const rpc = await startJsonServer(host, async (_path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.json();
  });
  return {
    rpc,
    asset,
    client,
    treasury: privateKeyToAccount(KEYS.treasury),
    async mint(to, value) {
      const mint = { address: asset, abi: TOKEN.abi, functionName: 'mint', args: [to, value] };
      await client.waitForTransactionReceipt({ hash: await client.writeContract(mint), pollingInterval: 20 });
    },
    balanceOf: async (holder) =>
      (await client.readContract({
        address: asset,
        abi: TOKEN.abi,
        functionName: 'balanceOf',
        args: [holder],
      })) as bigint,
    async deployWallet(owner) {
      const deployed = await client.deployContract({ ...WALLET, args: [owner] });
      const receipt = await client.waitForTransactionReceipt({ hash: deployed, pollingInterval: 20 });
      return getAddress(receipt.contractAddress ?? '');
    },
    setCode: async (address, code) => void (await send('anvil_setCode', [address, code])),
    async mine(blocks, seconds = 0) {
      if (seconds > 0) await send('evm_increaseTime', [seconds]);
      await send('anvil_mine', [`0x${blocks.toString(16)}`]);
    },
    async stop() {
      await rpc.stop();
      const ended = once(node, 'exit');
      process.kill(-(node.pid ?? 0), 'SIGKILL');
      await ended;
    },
  };
}

/** Reads and writes as the facilitator. */
function clientOf(url: string) {
  const transport = http(url, { retryCount: 0 });
  const account = privateKeyToAccount(KEYS.facilitator);
  const reading = createPublicClient({ chain: baseSepolia, transport, pollingInterval: 20 });
  return createWalletClient({ account, chain: baseSepolia, transport, pollingInterval: 20 }).extend(() => ({
    getCode: reading.getCode,
    readContract: reading.readContract,
    verifyTypedData: reading.verifyTypedData,
    waitForTransactionReceipt: reading.waitForTransactionReceipt,
    getBlockNumber: reading.getBlockNumber,
  }));
}
