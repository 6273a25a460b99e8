/**
 * Addresses of Ethereum and its kin: 20 bytes in hexadecimal, whose upper and lower case may carry a checksum
 * (EIP-55). The hash is Keccak-256 as it was before SHA-3 changed its padding, which Node does not have.
 */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO = /^0x0{40}$/;

const RATE_BYTES = 136;
const LANES = 25;
const MASK = (1n << 64n) - 1n;
const ROUNDS = 24;
/** Rotations and targets of the step that moves lanes, in the order in which it visits them. */
const ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
const TARGETS = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];

/**
 * The address with its checksum. Undefined when it is no address, is the zero address (what is sent there is lost),
 * or mixes cases that do not agree with its checksum: somebody mistyped it.
 */
export function checksummedAddress(address: string): string | undefined {
  if (!ADDRESS.test(address) || ZERO.test(address)) return undefined;
  const digits = address.slice(2).toLowerCase();
  const hash = keccak256(Buffer.from(digits)).toString('hex');
  const cased = [...digits].map((digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  const checksummed = `0x${cased.join('')}`;
  const given = address.slice(2);
  const isUncased = given === digits || given === digits.toUpperCase();
  return isUncased || address === checksummed ? checksummed : undefined;
}

export function keccak256(data: Buffer): Buffer {
  const state = Array.from({ length: LANES }, () => 0n);
  const padded = Buffer.alloc((Math.floor(data.length / RATE_BYTES) + 1) * RATE_BYTES);
  data.copy(padded);
  padded[data.length] = (padded[data.length] ?? 0) ^ 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) ^ 0x80;
  for (let at = 0; at < padded.length; at += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) {
      state[lane] = laneOf(state, lane) ^ padded.readBigUInt64LE(at + lane * 8);
    }
    permute(state);
  }
  const digest = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane += 1) digest.writeBigUInt64LE(laneOf(state, lane), lane * 8);
  return digest;
}

function permute(state: bigint[]): void {
  let feedback = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    mixColumns(state);
    moveLanes(state);
    mixRows(state);
    for (let bit = 0; bit < 7; bit += 1) {
      if (feedback & 1) state[0] = laneOf(state, 0) ^ (1n << ((1n << BigInt(bit)) - 1n));
      feedback = (feedback << 1) ^ (feedback & 0x80 ? 0x171 : 0);
    }
  }
}

function mixColumns(state: bigint[]): void {
  const parity = [0, 1, 2, 3, 4].map((x) =>
    [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ laneOf(state, x + y), 0n),
  );
  for (let x = 0; x < 5; x += 1) {
    const change = (parity[(x + 4) % 5] ?? 0n) ^ rotate(parity[(x + 1) % 5] ?? 0n, 1);
    for (let y = 0; y < LANES; y += 5) state[x + y] = laneOf(state, x + y) ^ change;
  }
}

function moveLanes(state: bigint[]): void {
  let carried = laneOf(state, 1);
  for (const [step, target] of TARGETS.entries()) {
    const next = laneOf(state, target);
    state[target] = rotate(carried, ROTATIONS[step] ?? 0);
    carried = next;
  }
}

function mixRows(state: bigint[]): void {
  for (let y = 0; y < LANES; y += 5) {
    const row = state.slice(y, y + 5);
    for (let x = 0; x < 5; x += 1) {
      state[y + x] = laneOf(row, x) ^ (~laneOf(row, (x + 1) % 5) & MASK & laneOf(row, (x + 2) % 5));
    }
  }
}

function laneOf(lanes: readonly bigint[], at: number): bigint {
  return lanes[at] ?? 0n;
}

function rotate(lane: bigint, by: number): bigint {
  return ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK;
}
