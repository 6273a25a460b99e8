/**
 * Worker thread for hashes of guessed passwords (passwords.ts). Its own priority is lower; the pool of Node.js has no
 * priorities.
 */
import { serveJobs } from '../threads/thread-jobs';
import { performHashHere } from './hash-task';

serveJobs(performHashHere);
