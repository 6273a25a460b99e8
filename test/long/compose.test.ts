/**
 * A rehearsal of `docker compose up --build` without Docker: the image's build steps in a clean folder, and the
 * services of docker-compose.yml as processes, with the settings of docker/compose.env.example, up to a paid call.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testManifest } from '../support/agents/manifest';
import { TEST_CA_FILE } from '../support/agents/authority';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { marketCommand, type MarketCommand } from '../support/cli/market-command';
import { readCompose } from '../support/compose/compose-file';
import { type Containers, createContainers } from '../support/compose/containers';
import { buildImage } from '../support/compose/image';
import { eventually } from '../support/waits';

const ROOT = resolve(__dirname, '../..');
const PASSWORD = 'correct horse battery';
jest.setTimeout(900_000);

const random = () => randomBytes(24).toString('hex');
/** What the owner of a trial fills in, besides passwords. */
const FILLED: Record<string, string> = {
  MASTER_KEYS: `first:1=${randomBytes(32).toString('base64')}`,
  PUBLIC_ORIGIN: 'https://market.example.com',
  PAYMENT_PROVIDER: 'sandbox',
  PAYOUT_SETTLEMENT: 'sandbox',
  MAIL_URL: 'smtps://market:secret@127.0.0.9:465',
  MAIL_FROM: 'Marketplace <no-reply@example.com>',
};
/** Lines of the example whose # is removed: they have no place in docker-compose.yml itself. */
const CHANGED: Record<string, string> = {
  ALLOW_SANDBOX_PAYMENTS: 'true',
  EMAIL_CONFIRMATION: 'optional',
  SECOND_FACTOR: 'optional',
  INVOICE_ISSUER: 'Rehearsal Ltd',
  EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
};

/** Production calls no agent of its own machine, so the call is made by the same processes outside of production. */
const FOR_THE_CALL = { NODE_ENV: 'development', EGRESS_ALLOW: '127.77.0.0/16' };

let folder: string;
let agent: TestAgent;
let containers: Containers;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-compose-'));
  const example = readFileSync(join(ROOT, 'docker/compose.env.example'), 'utf8');
  const filled = example
    .replace(/^(\w+)=$/gm, (_all, name: string) => `${name}=${FILLED[name] ?? random()}`)
    .replace(/^# (\w+)=.*$/gm, (line, name: string) => (name in CHANGED ? `${name}=${CHANGED[name]}` : line));
  writeFileSync(join(folder, '.env'), filled);
  agent = await startAgent();
  const image = await buildImage(ROOT, join(folder, 'image'));
  const services = readCompose(join(ROOT, 'docker-compose.yml'), folder);
  containers = await createContainers({ root: ROOT, services, image, folder });
  await containers.up();
});
afterAll(async () => {
  await (containers as Containers | undefined)?.down();
  await agent.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('starts each service behind those that it depends on', () => {
  const at = (event: string) => {
    expect(containers.events).toContain(event);
    return containers.events.indexOf(event);
  };
  for (const [event, next] of [
    ['postgres healthy', 'migrate starts'],
    ['postgres healthy', 'temporal-schema starts'],
    ['temporal-schema done', 'temporal starts'],
    ['temporal healthy', 'temporal-namespace starts'],
    ['temporal-namespace done', 'api starts'],
    ['migrate done', 'worker starts'],
  ] as const)
    expect(at(event)).toBeLessThan(at(next));
});

it('is ready in production, with every part', async () => {
  let ready: unknown;
  const read = async () => {
    ready = await (await fetch(`http://${containers.addressOf('api')}:4000/readiness`)).json();
    return (ready as { status: string }).status === 'ready';
  };
  // A worker reports itself some seconds after its start. A failure shows below which part is missing.
  await eventually(read, 60_000).catch(() => undefined);
  expect(ready).toMatchObject({ status: 'ready', checks: { temporal: 'ok', worker: 'ok' } });
});

it('verifies an agent and takes the money for a call of it', async () => {
  for (const name of ['api', 'worker']) await containers.restart(name, FOR_THE_CALL);
  const url = `http://${containers.addressOf('api')}:4000`;
  const people = { seller: marketCommand(url), buyer: marketCommand(url) };
  const does = async (who: keyof typeof people, ...args: string[]) => {
    const ended = await people[who].runAlone([...args, '--json'], { input: `${PASSWORD}\n` });
    if (ended.code !== 0)
      throw new Error(`market ${args.join(' ')}: ${ended.stdout}${ended.stderr}\n${logs()}`);
    return ended.json();
  };
  const logs = () => ['api', 'worker'].map((name) => containers.logOf(name)).join('\n');
  const signUp = (who: keyof typeof people, role: string) =>
    does(who, 'register', '--email', `${who}@example.com`, '--role', role, '--password-stdin');

  await Promise.all([signUp('seller', 'developer'), signUp('buyer', 'buyer')]);
  await Promise.all([does('seller', 'topup', '100'), does('buyer', 'topup', '10')]);
  await does('seller', 'pay-registration');
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify(testManifest(agent.url, { agentId: 'rehearsal', credits: 3 })));
  expect(await does('seller', 'publish', manifest, '--no-bundle')).toMatchObject({ status: 'live' });
  const call = await does('buyer', 'invoke', 'rehearsal', '{"text": "paid"}');
  expect(call).toMatchObject({ output: { text: 'paid' }, usage: { credits_charged: 3 } });
  const [invoice] = (await does('buyer', 'invoices'))['items'] as { invoice_id: string }[];
  expect(invoice).toBeDefined();
  for (const command of Object.values<MarketCommand>(people)) command.remove();
});
