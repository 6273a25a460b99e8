import { bundleOf, madeUp } from '../../../test/support/verification/bundles';
import { createBundleReader, factsWithoutBundle } from './bundle-facts';
import type { ScannedManifest } from './completeness';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Values in the forms of keys, made here so that no file of this repository holds one. */
const keys = {
  aws: `AKIA${madeUp(UPPER, 16)}`,
  github: `ghp_${madeUp(ALNUM, 36, 7)}`,
  stripe: `sk_live_${madeUp(ALNUM, 32, 11)}`,
  generic: madeUp(`${ALNUM}0123456789`, 40, 13),
};

const manifest = {
  description: 'An agent that converts units, for tests of scanners only.',
  tags: ['units'],
  endpoint: { url: 'https://agent.example.com' },
  data_handling: { subprocessors: ['OpenAI', 'api.stripe.com'] },
  input_schema: {
    type: 'object',
    examples: [{ a: 1 }],
    properties: { a: { type: 'number', description: 'A number' }, b: { properties: { c: {} } } },
  },
  output_schema: { properties: { d: { title: 'D' } } },
} as unknown as ScannedManifest;

const read = createBundleReader();
const scan = (files: Record<string, string>) => read(bundleOf(files), manifest);

describe('secrets', () => {
  it('are found by kind and place, and their values go nowhere', async () => {
    const facts = await scan({
      'src/pay.js': `\nconst stripe = '${keys.stripe}';\n`,
      'config/.env': `AWS=${keys.aws}\nGH=${keys.github}\n`,
      'src/app.py': `api_key = "${keys.generic}"\n`,
      'test/pay.test.js': `const key = '${keys.stripe}';\n`,
    });
    const { found, coverage } = facts.static.secrets;
    expect(
      found.items.map(({ rule, path, line, isGeneric, isTestFile }) => [
        rule,
        path,
        line,
        isGeneric,
        isTestFile,
      ]),
    ).toEqual([
      ['aws-access-token', 'config/.env', 1, false, false],
      ['github-pat', 'config/.env', 2, false, false],
      ['generic-api-key', 'src/app.py', 1, true, false],
      ['stripe-access-token', 'src/pay.js', 2, false, false],
      ['stripe-access-token', 'test/pay.test.js', 1, false, true],
    ]);
    expect(coverage).toEqual({ wanted: 4, looked: 4, gaps: [] });
    const text = JSON.stringify(facts);
    for (const value of Object.values(keys)) expect(text).not.toContain(value);
  });

  it('do not include placeholders', async () => {
    const { static: facts } = await scan({
      'README.md': 'Set `API_KEY="your-api-key-goes-here-0001"` and AKIAIOSFODNN7EXAMPLE.\n',
      'src/a.js':
        'const token = process.env.TOKEN_OF_THE_SERVICE_1;\nconst secret = "read-it-from-vault-please-2";\n',
    });
    expect(facts.secrets.found).toEqual({ total: 0, items: [] });
  });

  it('are found in every file, whatever its folder, its lines and its bytes', async () => {
    const { static: facts } = await scan({
      '.git/config': `url = https://x:${keys.github}@github.com/a/b\n`,
      'docs/a.js': `module.exports = '${keys.github}';`,
      'src/index.js': "const key = require('../docs/a');\n",
      'src/nul.js': `const a = '\u0000', b = '${keys.stripe}';\n`,
      'src/wide.js': `${' '.repeat(2_500)}const b = '${keys.stripe}';\n`,
      'src/wider.js': `/**/ const b = '${keys.stripe}'; ${'x;'.repeat(3_000)}\n`,
      'node_modules/x/index.js': `const key = '${keys.github}';`,
      'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: {}, k: keys.github }),
      'venv/lib/python3.12/site-packages/x/y.py': `KEY = "${keys.stripe}"\n`,
    });
    const { items } = facts.secrets.found;
    expect(items.map(({ path, isTestFile }) => [path, isTestFile])).toEqual([
      ['.git/config', false],
      ['docs/a.js', false],
      ['node_modules/x/index.js', false],
      ['package-lock.json', false],
      ['src/nul.js', false],
      ['src/wide.js', false],
      ['src/wider.js', false],
      ['venv/lib/python3.12/site-packages/x/y.py', false],
    ]);
    expect(items.every(({ weight }) => weight === 'certain')).toBe(true);
  });

  it('in a document that no file uses weigh little', async () => {
    const { static: facts } = await scan({ 'docs/a.js': `module.exports = '${keys.github}';` });
    expect(facts.secrets.found.items).toMatchObject([{ path: 'docs/a.js', isTestFile: true }]);
  });

  it('are reported once if several rules match, and rated by their prefix before the names around them', async () => {
    const openai = `sk-proj-${madeUp(ALNUM, 74, 3)}T3BlbkFJ${madeUp(ALNUM, 74, 5)}`;
    const { static: facts } = await scan({
      'a.yaml': `openai_api_key: "${openai}"\n`,
      'b.yaml': `adobe_client_secret: p8e-${madeUp('abcdef0123456789', 32, 9)}\n`,
      'c.js': `const adobe = '${madeUp('abcdef0123456789', 32, 9)}';\nconst apiKey = settings2.keyOfThisRegion7;\n`,
      'd.pem': `-----BEGIN RSA PRIVATE KEY-----\n${madeUp(ALNUM, 6_000, 17)}\n-----END RSA PRIVATE KEY-----\n`,
      'e.txt': `mailer key-${madeUp('abcdef0123456789', 32, 21)}\n`,
    });
    expect(facts.secrets.found.items.map(({ rule, path, isGeneric }) => [rule, path, isGeneric])).toEqual([
      ['openai-api-key', 'a.yaml', false],
      ['adobe-client-secret', 'b.yaml', false],
      ['adobe-client-id', 'c.js', true],
      ['private-key', 'd.pem', false],
      ['mailgun-key', 'e.txt', false],
    ]);
    expect(facts.secrets.found.items[0]?.description).toBe('A secret of the kind openai-api-key');
  });

  it('take linear time, whatever the file', async () => {
    const startedAt = performance.now();
    const hostile = `${'api_key_secret_token_'.repeat(20_000)}\n${'-----BEGIN PRIVATE KEY-----'.repeat(4_000)}\n`;
    await scan({ 'a.js': hostile, 'b.py': 'eval('.repeat(40_000) });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

it('gives the same bytes for the same bundle', async () => {
  const files = { 'b.js': `eval(x)\nconst k='${keys.stripe}'`, 'a.py': 'import os\nos.system(x)\n' };
  const swapped = Object.fromEntries(Object.entries(files).reverse());
  expect(JSON.stringify(await scan(files))).toBe(JSON.stringify(await scan(swapped)));
});

describe('dependencies', () => {
  const packageJson = (dependencies: Record<string, string>) =>
    JSON.stringify({ license: 'MIT', dependencies, scripts: { postinstall: 'node x.js' } });

  it('of npm are pinned by the lockfile, with licences and install scripts', async () => {
    const { supplyChain, packages } = await scan({
      'package.json': packageJson({ left: '^1.0.0', right: '^2.0.0', gone: '^1.0.0' }),
      'package-lock.json': JSON.stringify({
        lockfileVersion: 3,
        packages: {
          '': {},
          'node_modules/left': { version: '1.2.0', license: 'MIT', hasInstallScript: true },
          'node_modules/right': { version: '1.9.0', license: 'GPL-3.0-only' },
          'node_modules/left/node_modules/deep': { version: '0.1.0' },
          'node_modules/tester': { version: '9.0.0', dev: true },
        },
      }),
    });
    expect(supplyChain.dependencies).toMatchObject({ direct: 2, transitive: 1 });
    expect(supplyChain.lockfiles.disagreements.items).toEqual([
      { ecosystem: 'npm', manifest: 'package.json', name: 'right', range: '^2.0.0', locked: '1.9.0' },
      { ecosystem: 'npm', manifest: 'package.json', name: 'gone', range: '^1.0.0', locked: null },
    ]);
    expect(supplyChain.pinning).toMatchObject({ pinned: 2, floating: { items: [{ name: 'gone' }] } });
    expect(supplyChain.licences.found.items).toMatchObject([{ name: 'right', verdict: 'incompatible' }]);
    expect(supplyChain.licences.coverage).toEqual({
      wanted: 3,
      looked: 2,
      gaps: [{ code: 'unknown_licences', count: 1 }],
    });
    expect(supplyChain.installScripts.found.items.map(({ name, version }) => [name, version])).toEqual([
      ['postinstall', null],
      ['left', '1.2.0'],
    ]);
    expect(packages.map(({ name }) => name)).toEqual(['deep', 'left', 'right', 'tester']);
  });

  it.each([
    ['yarn 1', 'yarn.lock', '# yarn lockfile v1\n\n"left@^1.0.0":\n  version "1.2.0"\n  resolved "x"\n'],
    [
      'yarn 4',
      'yarn.lock',
      '__metadata:\n  version: 8\n\n"left@npm:^1.0.0":\n  version: 1.2.0\n  resolution: "left@npm:1.2.0"\n',
    ],
    [
      'pnpm 9',
      'pnpm-lock.yaml',
      "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      left:\n        specifier: ^1.0.0\n        version: 1.2.0\npackages:\n  left@1.2.0:\n    resolution: {integrity: x}\n",
    ],
    [
      'pnpm 6',
      'pnpm-lock.yaml',
      "lockfileVersion: '6.0'\ndependencies:\n  left:\n    specifier: ^1.0.0\n    version: 1.2.0\npackages:\n  /left@1.2.0:\n    resolution: {integrity: x}\n",
    ],
    ['npm 1', 'package-lock.json', '{"lockfileVersion":1,"dependencies":{"left":{"version":"1.2.0"}}}'],
  ])('of %s are pinned', async (_what, path, text) => {
    const { supplyChain, packages } = await scan({
      'package.json': packageJson({ left: '^1.0.0' }),
      [path]: text,
    });
    expect(packages).toMatchObject([{ name: 'left', version: '1.2.0', isDirect: true }]);
    expect(supplyChain.pinning).toMatchObject({ pinned: 1, floating: { total: 0 } });
    expect(supplyChain.lockfiles).toMatchObject({
      coverage: { wanted: 1, looked: 1 },
      disagreements: { total: 0 },
    });
  });

  it.each([
    [
      'poetry',
      {
        'pyproject.toml': '[tool.poetry.dependencies]\npython = "^3.11"\nDjango = "^4.2"\n',
        'poetry.lock': '[[package]]\nname = "django"\nversion = "4.2.1"\n',
      },
    ],
    [
      'uv',
      {
        'pyproject.toml': '[project]\nname = "a"\ndependencies = ["Django>=4,<5"]\n',
        'uv.lock':
          '[[package]]\nname = "a"\nversion = "0"\nsource = { virtual = "." }\n[[package]]\nname = "django"\nversion = "4.2.1"\n',
      },
    ],
    [
      'requirements.txt',
      {
        'requirements.txt':
          '# pinned\n--index-url x\nDjango[argon2]==4.2.1 ; python_version > "3" \\\n  --hash=sha256:abc\n',
      },
    ],
  ])('of Python are pinned by %s', async (_what, files) => {
    const { packages, supplyChain } = await scan(files);
    expect(packages).toMatchObject([{ ecosystem: 'PyPI', name: 'django', version: '4.2.1', isDirect: true }]);
    expect(supplyChain.pinning.floating.total).toBe(0);
  });

  it('are unpinned without a lockfile, which is reported and does not stop the scan', async () => {
    const { supplyChain } = await scan({
      'package.json': packageJson({ left: '^1.0.0', exact: '1.0.0' }),
      'package-lock.json': 'not JSON',
      'requirements.txt': 'django>=4\nflask==3.0.0\n',
    });
    expect(supplyChain.pinning.floating.items.map(({ name }) => name)).toEqual(['left', 'django']);
    expect(supplyChain.lockfiles.coverage).toEqual({
      wanted: 2,
      looked: 0,
      gaps: [
        { code: 'no_lockfile', count: 1 },
        { code: 'unreadable_lockfile', count: 1 },
      ],
    });
  });
});

it('reports calls that evaluate text, and undeclared hosts', async () => {
  const { static: facts } = await scan({
    'src/a.js':
      "eval(input);\n// eval(no)\nfetch('https://api.openai.com/v1');\nfetch('https://tracker.evil-metrics.io/x');\n",
    'src/b.py': 'subprocess.run(cmd, shell=True)\nrequests.get("https://api.stripe.com/v1", verify=False)\n',
    'test/a.test.js': "fetch('https://only-in-tests.io');\n",
    LICENSE: 'MIT',
  });
  expect(facts.quality.dangerousCalls.items.map(({ rule, path, line }) => [rule, path, line])).toEqual([
    ['js-eval', 'src/a.js', 1],
    ['js-input-eval', 'src/a.js', 1],
    ['py-shell', 'src/b.py', 1],
    ['tls-unchecked', 'src/b.py', 2],
  ]);
  expect(facts.quality).toMatchObject({ hasLicence: true, hasReadme: false, testFiles: 1, sourceFiles: 3 });
  expect(facts.completeness.undeclaredHosts.items).toEqual([
    { host: 'tracker.evil-metrics.io', path: 'src/a.js', line: 4 },
  ]);
  expect(facts.completeness).toMatchObject({
    inputProperties: 3,
    describedInputProperties: 1,
    inputExamples: 1,
  });
});

it('reports for a version without a bundle that nothing could be examined', () => {
  const { static: facts, supplyChain } = factsWithoutBundle(manifest);
  expect(facts.secrets.coverage).toEqual({ wanted: 1, looked: 0, gaps: [{ code: 'no_bundle', count: 1 }] });
  expect(supplyChain.pinning.coverage.looked).toBe(0);
  expect(facts.completeness.coverage.looked).toBe(1);
});

it('takes the rules of a file in the format of gitleaks', async () => {
  const rules =
    "[[rules]]\nid = 'mine'\ndescription = 'Ours'\nregex = '''mine-[0-9]{6}'''\nkeywords = ['mine-']\n[[rules.allowlists]]\nregexes = ['''000000''']\n";
  const own = createBundleReader(rules);
  const { static: facts } = await own(bundleOf({ 'a.txt': 'mine-482915\nmine-000000\n' }), manifest);
  expect(facts.secrets.found.items).toMatchObject([{ rule: 'mine', line: 1 }]);
  expect(() => createBundleReader('rules = 1')).toThrow('rule file');
});

it('reports no public or short-lived identifier as a secret, and a random value beside the name of a secret as a guess', async () => {
  const value = keys.generic;
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const { found } = (
    await scan({
      'src/mint.js': `const tokenMint = "${mint}";\nconst usdc = { mint: "${mint}", coin_mint: '${value}' };\n`,
      'page.json': `{"next_page_token":"${value}","nextPageToken":"${value}","continuationToken":"${value}","cursor":"${value}"}`,
      'src/idem.js': `const idempotencyKey = 'orch_abc_SUB-1-${value}';\nconst h = {'Idempotency-Key': '${value}'};\n`,
      'src/uuid.js': `const apiKey = "f47ac10b-58cc-4372-a567-0e02b2c3d479";\nconst appKey = 'F47AC10B-58CC-4372-A567-0E02B2C3D479';\n`,
      'src/real.js': `const apiKey = "${value}";\nconst accessToken = '${value}';\n`,
    })
  ).static.secrets;
  expect(found.items.map(({ path, line }) => [path, line])).toEqual([
    ['src/real.js', 1],
    ['src/real.js', 2],
  ]);
});

it('does not count what macOS adds to archives, but reads texts of such names', async () => {
  const attributes = Buffer.concat([Buffer.from([0x00, 0x05, 0x16, 0x07]), Buffer.alloc(120)]);
  const entries = [
    { path: 'index.js', text: 'export const a = 1;' },
    { path: '._index.js', text: attributes },
    { path: '__MACOSX/._index.js', text: attributes },
    { path: '.DS_Store', text: Buffer.from([0, 0, 0, 1, 0x42, 0x75, 0x64, 0x31, 0, 0xff]) },
  ];
  const { secrets, quality } = (await read(bundleOf(entries), manifest)).static;
  expect(secrets.coverage).toEqual({ wanted: 1, looked: 1, gaps: [] });
  expect(quality).toMatchObject({ files: 1, sourceFiles: 1 });

  const hidden = await scan({
    '._hidden.js': `const stripe = '${keys.stripe}';`,
    '__MACOSX/b.js': `const key = '${keys.stripe}';`,
  });
  expect(hidden.static.secrets.found.total).toBe(2);
});
