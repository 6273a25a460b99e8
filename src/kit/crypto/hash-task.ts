/** One hash of a password, in the pool of Node.js or in the thread of guesses. */
import { Algorithm, hash, hashSync, verify, verifySync } from '@node-rs/argon2';

/** The cost of a hash: memory in KiB, and passes over it. */
export interface HashCost {
  memoryCost: number;
  timeCost: number;
}

/** Makes a hash, or compares a password with a stored one. */
export type HashTask = { password: string; cost: HashCost } | { password: string; stored: string };

/** Resolves to the hash, or to whether the password has it. */
export function performHash(task: HashTask): Promise<string | boolean> {
  if ('stored' in task) return verify(task.stored, task.password);
  return hash(task.password, optionsOf(task.cost));
}

/** The same in the thread that calls it, which does nothing else meanwhile. */
export function performHashHere(task: HashTask): string | boolean {
  if ('stored' in task) return verifySync(task.stored, task.password);
  return hashSync(task.password, optionsOf(task.cost));
}

function optionsOf(cost: HashCost) {
  return { algorithm: Algorithm.Argon2id, parallelism: 1, ...cost };
}
