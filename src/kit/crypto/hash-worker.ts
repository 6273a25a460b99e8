/**
 * Worker thread for hashes of guessed passwords (passwords.ts). Its own priority is lower; the pool of Node.js has no
 * priorities.
 */
import { parentPort } from 'node:worker_threads';
import { lowerThreadPriority } from '../concurrency/thread-priority';
import { type HashTask, performHashHere } from './hash-task';

lowerThreadPriority();

parentPort?.on('message', (task: HashTask) => parentPort?.postMessage(performHashHere(task)));
