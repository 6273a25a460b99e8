/** Worker thread that writes large answers as JSON strings (`plain-json-pool.ts`). */
import { parentPort } from 'node:worker_threads';
import { ownMemory } from '../concurrency/asked-threads';
import { lowerThreadPriority } from '../concurrency/thread-priority';
import { plainJson } from './plain-json';

lowerThreadPriority();

parentPort?.on('message', (bytes: Uint8Array) => {
  const reply = plainJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  parentPort?.postMessage(reply, ownMemory(reply.json));
});
