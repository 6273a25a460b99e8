import type { Db } from './db';
import { createReadDb, type ReadDb } from './read-db';

type Answer = string | Error;

/** Answers each statement with its own name, and the question for the position with `position`. */
function databaseOf(name: string, state: { position: string; fault?: Error | undefined }): Db {
  const query = async (text: unknown): Promise<{ rows: { position?: string; from?: string }[] }> => {
    await Promise.resolve();
    if (state.fault) throw state.fault;
    return { rows: [String(text).includes('lsn') ? { position: state.position } : { from: name }] };
  };
  return { query } as unknown as Db;
}

const errorOf = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

let primary: { position: string; fault?: Error | undefined };
let replica: { position: string; fault?: Error | undefined };
let moves: string[];
let nowMs: number;
let reads: ReadDb;

beforeEach(async () => {
  primary = { position: '0/10' };
  replica = { position: '0/10' };
  moves = [];
  nowMs = 0;
  reads = createReadDb({
    primary: databaseOf('primary', primary),
    replica: databaseOf('replica', replica),
    onMove: (to) => moves.push(to),
    now: () => nowMs,
  });
  await reads.look();
});
afterEach(() => reads.close());

async function answer(): Promise<Answer> {
  const { rows } = await reads.query<{ from: string }>('SELECT 1');
  return rows[0]?.from ?? '';
}

it('reads from the replica while it answers and is current', async () => {
  await expect(answer()).resolves.toBe('replica');
  expect(moves).toEqual(['replica']);
});

it('reads from the primary while the replica is more than 5 s behind', async () => {
  primary.position = '0/20';
  await reads.look();
  nowMs = 5_000;
  await reads.look();
  await expect(answer()).resolves.toBe('replica');
  nowMs = 5_001;
  await reads.look();
  await expect(answer()).resolves.toBe('primary');
  replica.position = '0/20';
  await reads.look();
  await expect(answer()).resolves.toBe('replica');
  expect(moves).toEqual(['replica', 'primary', 'replica']);
});

it.each(['ECONNREFUSED', '57P01', '40001', '25006'])(
  'repeats a statement on the primary when the replica fails with %s',
  async (code) => {
    replica.fault = errorOf(code);
    await expect(answer()).resolves.toBe('primary');
    replica.fault = undefined;
    await expect(answer()).resolves.toBe('primary');
    await reads.look();
    await expect(answer()).resolves.toBe('replica');
  },
);

it.each(['57014', '42601', '23505'])('does not repeat a statement that failed with %s', async (code) => {
  replica.fault = errorOf(code);
  await expect(answer()).rejects.toThrow(code);
  replica.fault = undefined;
  await expect(answer()).resolves.toBe('replica');
});

it('goes on reading from the replica while the primary is away', async () => {
  primary.fault = errorOf('ECONNREFUSED');
  nowMs = 60_000;
  await reads.look();
  await expect(answer()).resolves.toBe('replica');
});

it('reads from the primary when the replica names no position', async () => {
  replica.position = '';
  await reads.look();
  await expect(answer()).resolves.toBe('primary');
});
