/**
 * The YAML files that other programs read: a strict parser loads them, and Kubernetes and Compose get what they expect.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, isPair, isScalar, parseAllDocuments, type Scalar, visit } from 'yaml';

const ROOT = join(__dirname, '../..');
const FOLDERS = ['docker', 'examples', 'ops', 'packages/cli/templates'];
const files = [
  'docker-compose.yml',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ).filter((name) => /\.ya?ml$/.test(name) && !name.includes('node_modules')),
];
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** A key of a mapping: a text with a colon that lacks its quotes becomes a key with spaces and brackets. */
const KEY = /^[\w.\-/$~<]+$/;

const isWord = ({ value, type }: Scalar) =>
  typeof value === 'symbol' || (typeof value === 'string' && (type !== 'PLAIN' || KEY.test(value)));

function problemsOf(text: string): string[] {
  const problems: string[] = [];
  // Many programs read YAML 1.1, so both versions must give the same document.
  const [now, before] = (['1.2', '1.1'] as const).map((version) =>
    parseAllDocuments(text, { version, strict: true, uniqueKeys: true, merge: true }).map((document) => {
      problems.push(...[...document.errors, ...document.warnings].map(({ message }) => message));
      visit(document, {
        Pair: (_key, { key }) => {
          if (isScalar(key) && !isWord(key)) problems.push(`the key "${String(key.value)}" is no word`);
        },
        Seq: (_key, { items }) => {
          const kinds = new Set(items.map((item) => (isMap(item) || isPair(item) ? 'mapping' : 'value')));
          if (kinds.size > 1) problems.push('a list has mappings beside values');
        },
      });
      return document.toJS() as unknown;
    }),
  );
  if (!isDeepStrictEqual(now, before)) problems.push('YAML 1.1 reads something else');
  return problems;
} // prettier-ignore

it.each(files)('%s has only keys that are strings, and means the same in YAML 1.1 and 1.2', (file) => {
  // GitHub reads `on` as a word.
  const text =
    file.includes('workflows/') || file.includes('github-actions/')
      ? read(file).replace(/^on:/m, '"on":')
      : read(file);
  expect(problemsOf(text)).toEqual([]);
});

it('finds a text without its quotes', () => {
  const quoted = /^( +- )"(fetch.*)"$/m;
  expect(read('docker-compose.yml')).toMatch(quoted);
  const unquoted = read('docker-compose.yml').replace(quoted, (_all, dash: string, text: string) =>
    `${dash}${text.replace(' : ', ': ')}`); // prettier-ignore
  expect(problemsOf(unquoted)).toEqual(expect.arrayContaining(['a list has mappings beside values']));
  expect(problemsOf('a: 1\na: 2')).not.toEqual([]);
  expect(problemsOf('enabled: yes')).toEqual(['YAML 1.1 reads something else']);
});

interface Pod {
  metadata?: { labels?: Record<string, string> };
  spec: { containers: { image: string }[] };
}

/** Every template of a pod in a manifest, at any depth. */
function podsOf(value: unknown): Pod[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(podsOf);
  return Array.isArray((value as { containers?: unknown }).containers) ? inner : [...inner, ...templatesOf(value)];
} // prettier-ignore

function templatesOf(value: object): Pod[] {
  const { template } = value as { template?: Pod };
  return template?.spec.containers ? [template] : [];
}

const manifests = files.filter((file) => file.startsWith('ops/kubernetes/'));
const objects = manifests.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Record<string, unknown>),
);
const pods = objects.flatMap(podsOf);

it('selects every pod by exactly one network policy', () => {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
    spec: { podSelector: { matchLabels: Record<string, string> }; policyTypes: string[] };
  }[];
  expect(pods).toHaveLength(5);
  for (const { metadata } of pods) {
    const labels = metadata?.labels ?? {};
    const selecting = policies.filter(({ spec }) =>
      Object.entries(spec.podSelector.matchLabels).every(([name, value]) => labels[name] === value),
    );
    expect({ labels, policies: selecting.length }).toEqual({ labels, policies: 1 });
    expect(selecting[0]?.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  }
});

it('lets the processes reach agents by IPv4 and by IPv6', () => {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as {
    spec: { egress: { to: { ipBlock?: { cidr: string } }[] }[] };
  }[];
  const blocks = policies.flatMap(({ spec }) =>
    spec.egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr] : []))),
  );
  expect(blocks).toEqual(['0.0.0.0/0', '2000::/3']);
});

it('runs only images that are pinned by a digest', () => {
  const [images] = objects.filter(({ kind }) => kind === 'Component') as unknown as [
    { images: { name: string; digest?: string; newTag?: string }[] },
  ];
  const pinned = images.images.filter(({ digest }) => /^sha256:[0-9a-f]{64}$/.test(digest ?? ''));
  expect(pinned).toEqual(images.images);
  const names = new Set(pinned.map(({ name }) => name));
  for (const { spec } of pods) for (const { image } of spec.containers) expect(names).toContain(image);
  const using = objects.filter(({ kind }) => kind === 'Kustomization') as { components?: string[] }[];
  expect(using).toHaveLength(2);
  for (const { components } of using) expect(['images', '../images']).toContain(components?.[0]);
});

it('names every external image in docker-compose.yml by its digest', () => {
  const images = [...read('docker-compose.yml').matchAll(/^ +image: (.*)$/gm)].map(([, image = '']) => image);
  const example = read('docker/compose.env.example');
  const own = images.filter((image) => image === 'agent-marketplace');
  const others = images.filter((image) => image !== 'agent-marketplace');
  expect(own).toHaveLength(1);
  expect(others).toHaveLength(5);
  for (const image of others) {
    const [, name = ''] = /^\$\{(\w+_IMAGE):-[\w./-]+:[\w.-]+\}$/.exec(image) ?? [];
    expect({ image, documented: new RegExp(`^# ${name}=\\S+@sha256:`, 'm').test(example) }).toEqual({ image, documented: true });
  }
}); // prettier-ignore

it('has scripts that a shell can read', () => {
  for (const name of readdirSync(join(ROOT, 'docker')).filter((file) => file.endsWith('.sh')))
    execFileSync('sh', ['-n', join(ROOT, 'docker', name)]);
});
