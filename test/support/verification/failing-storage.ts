/** A database that refuses the evidence of one stage, as a full disk would after the calls of the stage. */
import type { Client } from 'pg';
import type { EvidenceStage } from '../../../src/domain/verification/probe-facts';

export interface FailingStorage {
  /** Stores everything again. */
  mend(): Promise<void>;
}

/** Refuses the evidence of the stages so many times each. */
export async function failStoring(
  owner: Pick<Client, 'query'>,
  stages: readonly EvidenceStage[],
  times: number,
): Promise<FailingStorage> {
  const counters = stages.map((stage) => `failures_of_${stage.toLowerCase()}`);
  const made = counters.map(
    (counter) => `CREATE SEQUENCE ${counter}; GRANT ALL ON SEQUENCE ${counter} TO PUBLIC;`,
  );
  const list = stages.map((stage) => `'${stage}'`).join(', ');
  // What a test that failed before its end has left.
  const remove = `
    DROP FUNCTION IF EXISTS fail_storing CASCADE;
    DROP SEQUENCE IF EXISTS ${counters.join(', ')};`;
  await owner.query(`
    ${remove}
    ${made.join('\n')}
    CREATE FUNCTION fail_storing() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.stage IN (${list}) AND nextval('failures_of_' || lower(NEW.stage)) <= ${times} THEN
        RAISE EXCEPTION 'the disk is full';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail_storing BEFORE INSERT ON verification_evidence FOR EACH ROW EXECUTE FUNCTION fail_storing()`);
  return {
    async mend() {
      await owner.query(remove);
    },
  };
}
