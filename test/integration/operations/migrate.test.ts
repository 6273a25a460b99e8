/** Migrations and function files: applied once and again when they change, in one transaction. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { BASELINE, FOLDED } from '../../../src/runtime/postgres/folded-migrations';
import { migrate, MIGRATIONS_FOLDER } from '../../../src/runtime/postgres/migrate';
import { withClient } from '../../../src/runtime/postgres/database';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/stack/database';

const NOTHING = { migrations: [], functions: [], dropped: [] };
let database: TestDatabase;
let folder: string;
let client: Client;

/** The value of one expression. */
async function ask(expression: string): Promise<unknown> {
  const { rows } = await client.query<{ value: unknown }>(`SELECT ${expression} AS value`);
  return rows[0]?.value;
}

function writeFunction(name: string, sql: string): void {
  mkdirSync(join(folder, 'functions/numbers'), { recursive: true });
  writeFileSync(join(folder, `functions/numbers/${name}.sql`), sql);
}

function writeMigration(name: string, up: string): void {
  writeFileSync(join(folder, `${name}.sql`), `-- migrate:up\n${up}\n-- migrate:down\nSELECT 1;\n`);
}

const constant = (name: string, value: number) =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS integer LANGUAGE sql AS 'SELECT ${value}';\n`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-migrations-'));
  database = await createEmptyDatabase();
  client = new Client({ connectionString: database.ownerUrl });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('function files', () => {
  it('are applied once, and again when they change', async () => {
    writeFunction('one', constant('one', 1));
    writeFunction('two', constant('two', 2));
    expect(await migrate(database.ownerUrl, folder)).toEqual({ ...NOTHING, functions: ['one', 'two'] });
    expect(await migrate(database.ownerUrl, folder)).toEqual(NOTHING);

    await client.query(constant('two', 22));
    writeFunction('one', constant('one', 11));
    expect(await migrate(database.ownerUrl, folder)).toEqual({ ...NOTHING, functions: ['one'] });
    expect([await ask('one()'), await ask('two()')]).toEqual([11, 22]);
  });

  it('may be needed by the tables of a migration, and may need them', async () => {
    writeMigration(
      '0001_numbers',
      `
      CREATE TABLE numbers (n integer, doubled integer GENERATED ALWAYS AS (twice(n)) STORED);
      CREATE TRIGGER numbers_guard BEFORE INSERT ON numbers FOR EACH ROW EXECUTE FUNCTION numbers_guard();
      INSERT INTO numbers (n) VALUES (4);`,
    );
    writeFunction(
      'first_number',
      `CREATE OR REPLACE FUNCTION first_number() RETURNS numbers LANGUAGE sql AS 'SELECT numbers FROM numbers';`,
    );
    writeFunction(
      'numbers_guard',
      `CREATE OR REPLACE FUNCTION numbers_guard() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE row numbers%ROWTYPE; BEGIN NEW.n := NEW.n + 1; RETURN NEW; END $$;`,
    );
    writeFunction(
      'twice',
      `CREATE OR REPLACE FUNCTION twice(n integer) RETURNS integer LANGUAGE sql IMMUTABLE RETURN n * 2;`,
    );
    await migrate(database.ownerUrl, folder);
    expect(await ask('(first_number()).doubled')).toBe(10);
  });

  it('are rolled back with the migrations when one fails', async () => {
    writeFunction('one', constant('one', 1));
    await migrate(database.ownerUrl, folder);

    writeFunction('one', constant('one', 11));
    writeFunction(
      'wrong',
      'CREATE OR REPLACE FUNCTION wrong() RETURNS nonsense LANGUAGE sql AS $$ SELECT 1 $$;',
    );
    writeMigration('0001_numbers', 'CREATE TABLE numbers (n integer);');
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
      'migrations/functions/numbers/wrong.sql: type "nonsense" does not exist',
    );
    expect([
      await ask('one()'),
      await ask(`to_regclass('numbers')`),
      await ask(`to_regproc('wrong')`),
    ]).toEqual([1, null, null]);

    rmSync(join(folder, 'functions/numbers/wrong.sql'));
    rmSync(join(folder, '0001_numbers.sql'));
    writeMigration('0001_wrong', 'CREATE TABLE numbers (n integer); SELECT 1 / 0;');
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow('division by zero');
    expect([await ask('one()'), await ask(`to_regclass('numbers')`)]).toEqual([1, null]);
    expect(await ask('(SELECT count(*)::int FROM schema_migrations)')).toBe(0);
  });

  it('that were removed drop their function, unless something still uses it', async () => {
    writeFunction('one', constant('one', 1));
    writeFunction(
      'two',
      `CREATE OR REPLACE FUNCTION two() RETURNS integer LANGUAGE sql AS 'SELECT one() + 1';`,
    );
    await migrate(database.ownerUrl, folder);

    rmSync(join(folder, 'functions/numbers/one.sql'));
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
      'migrations/functions has no file one.sql any more, but two calls it',
    );
    expect(await ask('two()')).toBe(2);

    rmSync(join(folder, 'functions/numbers/two.sql'));
    await client.query('CREATE TABLE numbers (n integer DEFAULT one())');
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
      'migrations/functions has no file one.sql any more, but the function is used: default value for column n of table numbers',
    );

    await client.query('DROP TABLE numbers');
    expect(await migrate(database.ownerUrl, folder)).toEqual({ ...NOTHING, dropped: ['one', 'two'] });
    expect([await ask(`to_regproc('one')`), await ask(`to_regproc('two')`)]).toEqual([null, null]);
  });

  it('define the one function of their name: an older argument list is dropped by a migration', async () => {
    writeFunction('one', constant('one', 1));
    await migrate(database.ownerUrl, folder);
    writeFunction('one', constant('one', 1).replace('()', '(more integer)'));
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
      'must define the one function one, but there are one() and one(integer): drop the older one in a migration',
    );
    writeMigration('0001_one', 'DROP FUNCTION one();');
    expect(await migrate(database.ownerUrl, folder)).toMatchObject({ functions: ['one'] });

    writeFunction('one', constant('other', 1));
    await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
      'one.sql must create the one function one',
    );
  });
});

it('lets two processes migrate at the same time', async () => {
  const both = await Promise.all([migrate(database.ownerUrl), migrate(database.ownerUrl)]);
  expect(both.map(({ migrations }) => migrations.length).sort()).toEqual([
    0,
    both[0].migrations.length || both[1].migrations.length,
  ]);
});

describe('a database that ran the migrations before the baseline', () => {
  let own: TestDatabase;
  let made: string[];
  const applied = async () =>
    (
      await withClient(own.ownerUrl, (owner) =>
        owner.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name'),
      )
    ).rows.map(({ name }) => name);
  const rename = (names: string[]) =>
    withClient(own.ownerUrl, async (owner) => {
      await owner.query('DELETE FROM schema_migrations WHERE name = ANY ($1)', [BASELINE]);
      await owner.query('INSERT INTO schema_migrations (name, batch) SELECT unnest($1::text[]), 1', [names]);
      await owner.query('CREATE INDEX holds_lease_until_idx ON archive.holds (lease_until)');
    });

  beforeEach(async () => {
    own = await createTestDatabase();
    made = await applied();
  });
  afterEach(() => own.drop());

  it('keeps its rows, and is recorded to have run the baseline', async () => {
    expect(made).toEqual(expect.arrayContaining(BASELINE));
    await rename(FOLDED);
    expect(await migrate(own.ownerUrl)).toEqual(NOTHING);
    expect(await applied()).toEqual(made);
    const { rows } = await withClient(own.ownerUrl, (owner) =>
      owner.query(
        `SELECT to_regclass('archive.holds_lease_until_idx') AS index, count(*)::int AS accounts FROM accounts`,
      ),
    );
    expect(rows).toEqual([{ index: null, accounts: 5 }]);
  });

  it('is refused as long as it lacks one of them', async () => {
    await rename(FOLDED.slice(0, -1));
    await expect(migrate(own.ownerUrl)).rejects.toThrow(
      'it ran the migration 0001_accounts.js, which this version',
    );
    expect(await applied()).not.toContain(BASELINE[0]);
  });
});

it('refuses a migration without its two marks, and changes nothing', async () => {
  writeFileSync(join(folder, '0001_numbers.sql'), '-- migrate:up\nCREATE TABLE numbers (n integer);\n');
  await expect(migrate(database.ownerUrl, folder)).rejects.toThrow(
    'migrations/0001_numbers.sql must have the lines "-- migrate:up" and "-- migrate:down" once each',
  );
  expect(await ask(`to_regclass('numbers')`)).toBe(null);
});

it('refuses a database of another version and changes nothing in it', async () => {
  await client.query(`
    CREATE TABLE schema_migrations (id serial PRIMARY KEY, name text, batch integer, migration_time timestamptz);
    INSERT INTO schema_migrations (name, batch) VALUES ('0001_users.js', 1), ('0002_rate_limits.js', 1);
    CREATE TABLE users (user_id text);`);
  const tables = `(SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace)`;
  const before = await ask(tables);
  await expect(migrate(database.ownerUrl)).rejects.toThrow(
    'this database was made by another version of the service: it ran the migration 0001_users.js, which this version ' +
      'does not have; nothing was changed. Create a new database, or use the version that made this one',
  );
  expect(await ask(tables)).toBe(before);
});

it('applies an edited function of the service to a database that has data', async () => {
  const own = await createTestDatabase();
  try {
    cpSync(MIGRATIONS_FOLDER, folder, { recursive: true });
    const file = join(folder, 'functions/bonds/bond_tier_minimum.sql');
    writeFileSync(file, readFileSync(file, 'utf8').replace('50000', '60000'));
    expect(await migrate(own.ownerUrl, folder)).toEqual({ ...NOTHING, functions: ['bond_tier_minimum'] });
  } finally {
    await own.drop();
  }
});

it('replaces the function that returned the permit of a call in an earlier release', async () => {
  cpSync(MIGRATIONS_FOLDER, folder, { recursive: true });
  rmSync(join(folder, '0025_call_permit.sql'));
  const path = join(folder, 'functions/calls/invocation_accept_permit.sql');
  const earlier = readFileSync(path, 'utf8').replace('is_former boolean)', 'is_former boolean, permit text)');
  writeFileSync(path, earlier);
  await migrate(database.ownerUrl, folder);
  const result = `pg_get_function_result('invocation_accept_permit(jsonb)'::regprocedure)`;
  expect(await ask(result)).toContain('permit text');
  expect(await migrate(database.ownerUrl)).toEqual({
    migrations: ['0025_call_permit.sql'],
    functions: ['invocation_accept_permit'],
    dropped: [],
  });
  expect(await ask(result)).not.toContain('permit');
  expect(
    await ask(`has_function_privilege('market_app', 'invocation_accept_permit(jsonb)', 'EXECUTE')`),
  ).toBe(true);
});
