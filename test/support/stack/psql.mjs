import pg from 'pg';

/** `psql <url> -c <statement>` for machines without psql: runs the statement, and prints its rows. */
const [url, , statement] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
await client.connect();
const { rows } = await client.query(statement);
console.log(rows.map((row) => Object.values(row).join(' | ')).join('\n'));
await client.end();
