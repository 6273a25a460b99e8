import { statfsSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';

const GIB = 1024 ** 3;
const IN_MEMORY = '/dev/shm';

/**
 * Folder for databases that tests throw away: in memory where there is plenty of it, else the folder for temporary
 * files. A copy of the template has a thousand files. On ext4, making them after others were deleted takes a quarter of
 * the CPU of Postgres. All processes of a run get the same answer.
 */
export const MEMORY_FOLDER = isRoomy() ? IN_MEMORY : tmpdir();

function isRoomy(): boolean {
  try {
    const { bsize, blocks } = statfsSync(IN_MEMORY);
    return bsize * blocks >= 4 * GIB && totalmem() >= 12 * GIB;
  } catch {
    return false;
  }
}
