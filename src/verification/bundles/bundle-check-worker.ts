/**
 * Worker thread that checks whether uploaded bundles can be unpacked (bundle-checks.ts). Small bundles of ordinary
 * developers never come here, and the deadline is in processor time, so the thread has a lower priority.
 */
import { readBundle } from '../../kit/archives/bundle';
import { serveJobs } from '../../kit/threads/thread-jobs';

serveJobs(readBundle);
