/** Statements that wait in the middle of their transaction, so that a test can kill the process that sent them. */
import type { Client } from 'pg';
import { eventually } from '../market';

/** The first key of the advisory locks of this file. */
const SPACE = 8_808;
const WAIT_MS = 300_000;
let held = 0;

export interface HeldStep {
  /** Resolves when a statement waits here. */
  reached(): Promise<void>;
  /** Lets the statement continue: Postgres completes it, also if its client is gone. */
  letGo(): Promise<void>;
  /** Waits until Postgres has given the statement up (its timeout) and undone it; then nothing waits here any more. */
  giveUp(): Promise<void>;
}

export interface StepPlace {
  table: string;
  on: 'INSERT' | 'UPDATE';
  /** Which rows; `OLD` and `NEW` are the row. */
  when: string;
}

/**
 * Rows of a table wait from now on, before they are written. This locks the table against writers, so no row of it may
 * be waiting yet: Postgres would see a deadlock.
 */
export async function holdStep(owner: Client, { table, on, when }: StepPlace): Promise<HeldStep> {
  held += 1;
  const number = held;
  const name = `held_step_${number}`;
  const lock = `${SPACE}, ${number}`;
  await owner.query(`SELECT pg_advisory_lock(${lock})`);
  await owner.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(${lock});
      RETURN NEW;
    END $$;
    CREATE TRIGGER ${name} BEFORE ${on} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`);
  const isReached = async () => {
    const { rows } = await owner.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${SPACE} AND objid = ${number} AND NOT granted`,
    );
    return rows.length > 0;
  };
  const release = async () => {
    await owner.query(`SELECT pg_advisory_unlock(${lock})`);
  };
  return {
    reached: () => eventually(isReached, WAIT_MS),
    letGo: release,
    async giveUp() {
      await eventually(async () => !(await isReached()), WAIT_MS);
      await release();
    },
  };
}

/** Releases all held statements, also those of a failed test. */
export async function letAllGo(owner: Client): Promise<void> {
  await owner.query('SELECT pg_advisory_unlock_all()');
}
