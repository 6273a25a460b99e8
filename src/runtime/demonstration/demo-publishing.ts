import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packFolder } from '../../cli/packing/pack-folder';
import { writeTar } from '../../cli/packing/tar-writer';
import { agentIdOf } from '../../domain/catalogue/slug';
import { unpackBundle } from '../../kit/archives/bundle';
import type { ApiClient } from './api-client';
import type { DemoAgent } from './demo-agents';
import type { DemoPeople } from './demo-accounts';
import { sellerOf } from './history/call-plan';
import { waitUntil } from '../processes/processes';
import type { PublishedAgent } from '../runtime-file';
import type { Stack } from '../stack';
import type { Terminal } from '../base/terminal.cjs';

interface Listing {
  agent_id: string;
  slug: string;
  version: string;
  pricing: { credits_per_call?: number; max_credits_per_call?: number };
}

const LIVE_MS = 200_000;
/** An agent that is registered by its endpoint alone, without its source, to show what buyers see then. */
const SELF_HOSTED = {
  slug: 'kitchen-measures',
  endpointOf: 'unit-converter',
  name: 'Kitchen measures',
  vertical: 'cooking',
  description:
    'Turns the cups and spoons of recipes into millilitres. Registered by its endpoint alone, without its source: this is how far the score of such an agent goes.',
  input_schema: {
    type: 'object',
    required: ['quantity', 'to'],
    additionalProperties: false,
    properties: {
      quantity: {
        type: 'string',
        pattern: '^[1-9][0-9]{0,2} (cups|tbsp|tsp|pints)$',
        description: 'What the recipe says.',
        examples: ['2 cups', '3 tbsp'],
      },
      to: { type: 'string', enum: ['mL', 'L'], description: 'The unit of your jug.' },
    },
    examples: [
      { quantity: '2 cups', to: 'mL' },
      { quantity: '3 tbsp', to: 'mL' },
    ],
  },
  output_schema: {
    type: 'object',
    required: ['quantity', 'unit', 'text', 'measure'],
    properties: {
      quantity: { type: 'number', description: 'The converted number.' },
      unit: { type: 'string', description: 'Its unit.' },
      text: { type: 'string', description: 'Number and unit together.' },
      measure: { type: 'string', description: 'The kind of quantity, which is volume.' },
    },
  },
  examples: [
    {
      input: { quantity: '2 cups', to: 'mL' },
      output: { quantity: 473.176473 },
      match: 'subset',
      tolerance: 0.01,
    },
  ],
  data_handling: { pii_processed: false, data_retention_days: 0, residency: 'global', subprocessors: [] },
};

/** Publishes the demonstration agents that do not serve yet, all at once, and waits until they are live. */
export async function ensureAgents(
  stack: Stack,
  { clients }: DemoPeople,
  terminal: Terminal,
): Promise<PublishedAgent[]> {
  const published: PublishedAgent[] = [];
  await terminal.step('publish', async (detail) => {
    const waiting = new Set([...stack.agents.map(({ slug }) => slug), SELF_HOSTED.slug]);
    const show = () => detail(`verifying ${[...waiting].join(', ')}`);
    const live = async (slug: string, work: Promise<PublishedAgent>) => {
      const agent = await work;
      waiting.delete(slug);
      show();
      return agent;
    };
    show();
    const works = stack.agents.map((agent) =>
      live(agent.slug, ensureAgent(clients[sellerOf(agent.slug)], agent)),
    );
    works.push(live(SELF_HOSTED.slug, ensureSelfHosted(stack, clients.developer)));
    published.push(...(await Promise.all(works)));
    return published.map(({ agent_id: id }) => id).join(', ');
  });
  return published;
}

async function ensureAgent(developer: ApiClient, agent: DemoAgent): Promise<PublishedAgent> {
  const manifest = readManifest(agent);
  const bySlug = `/v1/listings/slug/${agent.slug}`;
  const listed = await developer.attempt('GET', bySlug);
  if (listed.status !== 200 || (listed.body as Listing).version !== manifest.version) {
    const bundle = await bundleOf(agent);
    const version = { manifest, bundle_base64: bundle.toString('base64') };
    const answer = await developer.attempt('POST', '/v1/developer/agents', version);
    if (answer.status !== 201 && answer.status !== 409) {
      throw new Error(`publishing ${agent.slug} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    await keepSecret(developer, agent, manifest);
    await untilLive(developer, agent.slug, manifest.version);
  } else await keepSecret(developer, agent, manifest);
  return describeListing(await developer.call<Listing>('GET', bySlug));
}

/** Writes the secret with which an agent signs what it calls back, for those that take jobs. */
async function keepSecret(
  developer: ApiClient,
  agent: DemoAgent,
  { version, capabilities }: ReturnType<typeof readManifest>,
): Promise<void> {
  if (!capabilities?.jobs) return;
  const agentId = agentIdOf(agent.slug, Number(version.split('.')[0]));
  const path = `/v1/developer/agents/${agentId}`;
  const { signing_secret: secret } = await developer.call<{ signing_secret: string }>('GET', path);
  writeFileSync(agent.secretFile, secret, { mode: 0o600 });
}

/** The source of an agent: its folder, and the server that all demonstration agents share. */
export async function bundleOf({ slug, folder }: Pick<DemoAgent, 'slug' | 'folder'>): Promise<Buffer> {
  const packed = unpackBundle((await packFolder(folder)).bytes);
  if (!packed.ok) throw new Error(`the source of ${slug} ${packed.msg}`);
  const files = packed.files.map(({ path, bytes }) => ({ path: `${slug}/${path}`, bytes }));
  const server = { path: 'serve.mjs', bytes: readFileSync(join(folder, '../serve.mjs')) };
  return gzipSync(writeTar([...files, server]), { level: 9 });
}

async function ensureSelfHosted(stack: Stack, developer: ApiClient): Promise<PublishedAgent> {
  const { slug, endpointOf, ...registration } = SELF_HOSTED;
  const bySlug = `/v1/listings/slug/${slug}`;
  const listed = await developer.attempt('GET', bySlug);
  if (listed.status !== 200) {
    const url = stack.agents.find((agent) => agent.slug === endpointOf)?.url;
    if (url === undefined) throw new Error(`demonstration agent ${endpointOf} does not exist`);
    const answer = await developer.attempt('POST', '/v1/agents/register', {
      slug,
      ...registration,
      access_config: { endpoint_url: `${url}/invoke`, price_per_call_units: 100 },
    });
    if (answer.status !== 201 && answer.status !== 409) {
      throw new Error(`registering ${slug} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    await untilLive(developer, slug, '1.0.0');
  }
  return describeListing(await developer.call<Listing>('GET', bySlug));
}

async function untilLive(developer: ApiClient, slug: string, version: string): Promise<void> {
  const isLive = async () => {
    const { status, body } = await developer.attempt('GET', `/v1/listings/slug/${slug}`);
    return status === 200 && (body as Listing).version === version;
  };
  if (await waitUntil(isLive, LIVE_MS, 200)) return;
  throw new Error(`${slug} ${version} did not go live within ${LIVE_MS / 1_000} s`);
}

function describeListing({ agent_id, slug, pricing }: Listing): PublishedAgent {
  return { agent_id, slug, price_credits: pricing.credits_per_call ?? pricing.max_credits_per_call ?? 0 };
}

/** The agent's manifest file, with the agent's local address as its endpoint. */
function readManifest(
  agent: DemoAgent,
): { version: string; capabilities?: { jobs?: unknown } } & Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(agent.folder, 'manifest.json'), 'utf8')) as {
    version: string;
    endpoint: Record<string, unknown>;
  };
  return { ...manifest, endpoint: { ...manifest.endpoint, url: agent.url } };
}
