import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiAddress } from './connect';
import { databaseUrl, ownerUrl } from './database';
import { localStack } from './local-stack';

let home: string;
const before = { ...process.env };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'market-home-'));
  mkdirSync(join(home, 'config'));
  process.env['MARKET_HOME'] = home;
  process.env['MARKET_CONFIG_DIR'] = join(home, 'config');
  delete process.env['MARKET_API_URL'];
});
afterEach(() => {
  process.env = { ...before };
  rmSync(home, { recursive: true });
});

const LOCAL = {
  api_url: 'http://127.0.0.1:4000',
  temporal_address: '127.0.0.1:7233',
  postgres_url: 'postgres://market_app:x@127.0.0.1:5432/market',
};
const write = (file: unknown) => writeFileSync(join(home, 'runtime.json'), JSON.stringify(file));

it('takes the addresses of a stack on this machine', () => {
  write(LOCAL);
  expect(apiAddress({})).toBe(LOCAL.api_url);
  expect(databaseUrl({ MARKET_HOME: home })).toBe(LOCAL.postgres_url);
});

it.each([
  ['https://market.evil.example'],
  ['http://127.0.0.1.evil.example'],
  ['http://127.0.0.1@evil.example'],
  ['http://10.0.0.5:4000'],
  ['http://0.0.0.0:4000'],
  ['https://localhost.evil.example'],
  ['http://[fd00::1]:4000'],
  ['no address'],
  [42],
  [null],
])('ignores the API address %s of a folder', (address) => {
  write({ ...LOCAL, api_url: address });
  expect(() => apiAddress({})).toThrow('is not on this machine');
  expect(apiAddress({ api: 'https://market.example' })).toBe('https://market.example');
});

it.each([
  { postgres_url: 'postgres://market_app:x@db.evil.example:5432/market' },
  { postgres_url: 'postgres://market_app:x@127.0.0.1/market?host=db.evil.example' },
  { temporal_address: 'temporal.evil.example:7233' },
])('ignores other addresses of a folder: %j', (change) => {
  write({ ...LOCAL, ...change });
  expect(() => localStack({ MARKET_HOME: home })).toThrow('is not on this machine');
  expect(() => databaseUrl({ MARKET_HOME: home })).toThrow('is not on this machine');
  expect(() => ownerUrl({ MARKET_HOME: home })).toThrow('is not on this machine');
});

it.each(['null', '[]', '"https://evil.example"', '{}'])('ignores a file of %s', (text) => {
  writeFileSync(join(home, 'runtime.json'), text);
  expect(() => localStack({ MARKET_HOME: home })).toThrow('is not on this machine');
});

it('finds no stack if the file is missing or incomplete', () => {
  expect(localStack({ MARKET_HOME: home })).toBeUndefined();
  writeFileSync(join(home, 'runtime.json'), '{"api_url":"http://127');
  expect(localStack({ MARKET_HOME: home })).toBeUndefined();
});
