#!/usr/bin/env node
/**
 * The programs of the images that a machine may not have, by the name under which this file is called: `nc -z host
 * port`, `pg_isready -U user -h host`, and `psql` with `-v name=value`, `--username`, `--dbname` and statements on
 * standard input.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename } from 'node:path';
import pg from 'pg';

const args = process.argv.slice(2);
const valueOf = (...names) => args.find((_, at) => names.includes(args[at - 1]));
const client = (database) =>
  new pg.Client({ user: valueOf('-U', '--username'), host: valueOf('-h') ?? process.env.PGHOST, database });

const TOOLS = {
  nc: () => {
    const [port, host] = args.toReversed();
    connect(Number(port), host)
      .on('connect', () => process.exit(0))
      .on('error', () => process.exit(1));
  },
  // A server that starts refuses connections; one that wants another password has started.
  pg_isready: () =>
    client('postgres')
      .connect()
      .then(
        () => process.exit(0),
        ({ code }) => process.exit(code?.startsWith('28') ? 0 : 2),
      ),
  psql: async () => {
    const variables = args.filter((_, at) => args[at - 1] === '-v').map((pair) => pair.split('='));
    const statements = readFileSync(0, 'utf8').replaceAll(/:'(\w+)'/g, (_all, name) =>
      pg.escapeLiteral(Object.fromEntries(variables)[name]),
    );
    const session = client(valueOf('--dbname'));
    await session.connect();
    for (const statement of statements.split(/;\s*$/m)) if (statement.trim()) await session.query(statement);
    await session.end();
  },
};
await TOOLS[basename(process.argv[1])]();
