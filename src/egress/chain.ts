/**
 * Reads an EVM chain for payouts through the JSON-RPC API of a node (execution-apis): the state of a token contract
 * at a block, and where an authorization was used. Every read names its block, because several nodes behind one
 * address may be at different blocks.
 */
import { encodeCall, encodeSignatureQuestion, eventTopic, topicOf } from '../kit/crypto/usdc-authorization';
import type { Egress } from './agent-call';
import { EgressError } from './egress-error';
import { isRecord } from '../domain/json-value';

export interface Block {
  number: number;
  /** Seconds since the epoch. */
  time: number;
}

/** How an authorization was consumed. */
export interface AuthorizationUse {
  kind: 'used' | 'canceled';
  /** Transaction hash: `0x` and 64 hexadecimal digits. */
  transaction: string;
  block: number;
}

interface Log {
  address: string;
  topics: string[];
  data: string;
}

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Block range of one log query; nodes limit it. */
const BLOCKS_AT_ONCE = 1_000;
const USED = eventTopic('AuthorizationUsed(address,bytes32)');
const CANCELED = eventTopic('AuthorizationCanceled(address,bytes32)');
const TRANSFER = eventTopic('Transfer(address,address,uint256)');
const HASH = /^0x[0-9a-f]{64}$/;
/** The answer of `isValidSignature` to a signature that is valid (ERC-1271), and the gas that it may take. */
const ACCEPTED = '0x1626ba7e';
const SIGNATURE_GAS = '0x493e0';

/**
 * Creates a client for the node at `rpcUrl`. Throws `EgressError` for every response that is not of the expected
 * form; the message never contains the node's URL.
 */
export function createChain(egress: Egress, { rpcUrl }: { rpcUrl: string }) {
  async function rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const { value } = await egress.json({
      url: rpcUrl,
      headers: {},
      json: { jsonrpc: '2.0', id: 1, method, params },
      deadlineMs: Date.now() + DEADLINE_MS,
      maxResponseBytes: MAX_ANSWER_BYTES,
    });
    if (!isRecord(value) || !('result' in value)) throw refused(method, value);
    return value['result'];
  }

  /** Calls a contract function that returns one word, at a block. */
  async function read(asset: string, call: string, block: number): Promise<bigint> {
    const value = await rpc('eth_call', { to: asset, data: call }, hexOf(block));
    if (typeof value !== 'string' || !HASH.test(value)) throw refused('eth_call', undefined);
    return BigInt(value);
  }

  return {
    async chainId(): Promise<number> {
      return numberOf('eth_chainId', await rpc('eth_chainId'));
    },

    /** Returns the latest block, or the block with this number. */
    async block(number?: number): Promise<Block> {
      const value = await rpc('eth_getBlockByNumber', number === undefined ? 'latest' : hexOf(number), false);
      if (!isRecord(value)) throw refused('eth_getBlockByNumber', undefined);
      return {
        number: numberOf('eth_getBlockByNumber', value['number']),
        time: numberOf('eth_getBlockByNumber', value['timestamp']),
      };
    },

    /** Returns the token's `DOMAIN_SEPARATOR()`: `0x` and 64 hexadecimal digits. */
    async domainSeparator(asset: string, block: number): Promise<string> {
      const value = await read(asset, encodeCall('DOMAIN_SEPARATOR()'), block);
      return `0x${value.toString(16).padStart(64, '0')}`;
    },

    decimals: (asset: string, block: number) => read(asset, encodeCall('decimals()'), block),

    balanceOf: (asset: string, holder: string, block: number) =>
      read(asset, encodeCall('balanceOf(address)', holder), block),

    ...contractReads(rpc),

    /** True when the authorization was used or canceled by this block. */
    async isUsed(asset: string, from: string, nonce: string, block: number): Promise<boolean> {
      return (
        (await read(asset, encodeCall('authorizationState(address,bytes32)', from, nonce), block)) !== 0n
      );
    },

    /** Finds where an authorization was consumed within the blocks; undefined when it was not. */
    findUse: (asset: string, from: string, nonce: string, blocks: { first: number; last: number }) =>
      findUse(rpc, { address: asset, topics: [[USED, CANCELED], topicOf(from), topicOf(nonce)] }, blocks),

    /** True when the transaction succeeded and transferred exactly this amount. */
    hasMoved: (transaction: string, moved: Movement) => hasMoved(rpc, transaction, moved),
  };
}

export type Chain = ReturnType<typeof createChain>;

/** Reads about an account that may be a contract. */
function contractReads(rpc: Rpc) {
  return {
    /** True when there is a contract at the address. */
    async isContract(address: string, block: number): Promise<boolean> {
      const code = await rpc('eth_getCode', address, hexOf(block));
      if (typeof code !== 'string' || !/^0x[0-9a-fA-F]*$/.test(code)) throw refused('eth_getCode', undefined);
      return code.length > 2;
    },

    /** True when the contract at the address says that the signature of this digest is its own (ERC-1271). */
    async acceptsSignature(
      contract: string,
      digest: Buffer,
      signature: string,
      block: number,
    ): Promise<boolean> {
      const call = { to: contract, data: encodeSignatureQuestion(digest, signature), gas: SIGNATURE_GAS };
      const answer = await rpc('eth_call', call, hexOf(block)).catch(nodeRefusal);
      return typeof answer === 'string' && answer.slice(0, ACCEPTED.length) === ACCEPTED;
    },
  };
}

type Rpc = (method: string, ...params: unknown[]) => Promise<unknown>;

interface Movement {
  asset: string;
  from: string;
  to: string;
  /** Amount in the smallest unit, as decimal text. */
  value: string;
}

async function findUse(
  rpc: Rpc,
  filter: { address: string; topics: unknown[] },
  { first, last }: { first: number; last: number },
): Promise<AuthorizationUse | undefined> {
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    const to = Math.min(from + BLOCKS_AT_ONCE - 1, last);
    const found = await rpc('eth_getLogs', { ...filter, fromBlock: hexOf(from), toBlock: hexOf(to) });
    if (!Array.isArray(found)) throw refused('eth_getLogs', undefined);
    if (found.length > 0) return useOf((found as unknown[])[0]);
  }
  return undefined;
}

async function hasMoved(rpc: Rpc, transaction: string, moved: Movement): Promise<boolean> {
  const receipt = await rpc('eth_getTransactionReceipt', transaction);
  if (!isRecord(receipt) || !Array.isArray(receipt['logs'])) {
    throw refused('eth_getTransactionReceipt', undefined);
  }
  const expected = [TRANSFER, topicOf(moved.from), topicOf(moved.to)].join();
  return (
    receipt['status'] === '0x1' &&
    (receipt['logs'] as Log[]).some(
      ({ address, topics, data }) =>
        address.toLowerCase() === moved.asset.toLowerCase() &&
        topics.join() === expected &&
        BigInt(data) === BigInt(moved.value),
    )
  );
}

function useOf(log: unknown): AuthorizationUse {
  const { transactionHash, blockNumber, topics } = isRecord(log) ? log : {};
  if (typeof transactionHash !== 'string' || !HASH.test(transactionHash) || !Array.isArray(topics)) {
    throw refused('eth_getLogs', undefined);
  }
  return {
    kind: topics[0] === USED ? 'used' : 'canceled',
    transaction: transactionHash,
    block: numberOf('eth_getLogs', blockNumber),
  };
}

function hexOf(number: number): string {
  return `0x${number.toString(16)}`;
}

function numberOf(method: string, value: unknown): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]+$/.test(value) ? Number(value) : NaN;
  if (!Number.isSafeInteger(number)) throw refused(method, undefined);
  return number;
}

/** A node answers a call that reverts with an error; that of one that does not answer is thrown. */
function nodeRefusal(error: unknown): undefined {
  if (error instanceof EgressError && error.kind === 'bad_response') return undefined;
  throw error;
}

function refused(method: string, value: unknown): EgressError {
  const error = isRecord(value) ? value['error'] : undefined;
  const code = isRecord(error) && typeof error['code'] === 'number' ? ` (${error['code']})` : '';
  return new EgressError('bad_response', `the chain node did not return a valid result for ${method}${code}`);
}
