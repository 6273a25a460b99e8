/**
 * Lockfiles of all formats, each with the packages of public registries that it pins (`name@version`, `dev:` before
 * those that only development needs). Written after the documentation of each package manager, before the readers were
 * tried on them; no file is a copy.
 */
export interface LockfileCase {
  name: string;
  files: Record<string, string>;
  packages: string[];
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
const manifest = (dependencies: Record<string, string>, devDependencies: Record<string, string> = {}) =>
  json({ name: 'agent', version: '1.0.0', dependencies, devDependencies });
const SHA = 'sha512-0000000000000000000000000000000000000000000000000000000000000000000000000000000000000a==';

const NPM: readonly LockfileCase[] = [
  {
    name: 'npm 3, nested and optional',
    files: {
      'package.json': manifest({ alpha: '^1.0.0', 'os-bound': '*' }, { tester: '^2.0.0' }),
      'package-lock.json': json({
        lockfileVersion: 3,
        packages: {
          '': { dependencies: { alpha: '^1.0.0' }, devDependencies: { tester: '^2.0.0' } },
          'node_modules/alpha': { version: '1.2.0' },
          'node_modules/alpha/node_modules/beta': { version: '0.1.0' },
          'node_modules/beta': { version: '2.0.0' },
          'node_modules/os-bound': { version: '1.0.0', optional: true },
          'node_modules/tester': { version: '2.0.1', dev: true },
          'node_modules/both': { version: '3.0.0', devOptional: true },
        },
      }),
    },
    packages: ['alpha@1.2.0', 'beta@0.1.0', 'beta@2.0.0', 'os-bound@1.0.0', 'dev:tester@2.0.1', 'both@3.0.0'],
  },
  {
    name: 'npm 3, alias, workspace link and scope',
    files: {
      'package.json': manifest({ old: 'npm:@scope/real@^1.0.0', own: 'file:packages/own' }),
      'package-lock.json': json({
        lockfileVersion: 3,
        packages: {
          '': { workspaces: ['packages/*'] },
          'node_modules/old': { name: '@scope/real', version: '1.4.0' },
          'node_modules/own': { resolved: 'packages/own', link: true },
          'packages/own': { version: '0.0.1', dependencies: { gamma: '1.0.0' } },
          'packages/own/node_modules/gamma': { version: '1.0.0' },
        },
      }),
    },
    packages: ['@scope/real@1.4.0', 'gamma@1.0.0'],
  },
  {
    name: 'npm 1',
    files: {
      'package.json': manifest({ alpha: '1' }, { tester: '2' }),
      'package-lock.json': json({
        lockfileVersion: 1,
        dependencies: {
          alpha: { version: '1.2.0', dependencies: { beta: { version: '0.1.0' } } },
          tester: { version: '2.0.1', dev: true },
          renamed: { version: 'npm:delta@4.0.0' },
        },
      }),
    },
    packages: ['alpha@1.2.0', 'beta@0.1.0', 'dev:tester@2.0.1', 'delta@4.0.0'],
  },
  {
    name: 'shrinkwrap',
    files: {
      'package.json': manifest({ alpha: '1' }),
      'npm-shrinkwrap.json': json({ lockfileVersion: 3, packages: { '': {}, 'node_modules/alpha': { version: '1.0.1' } } }),
    },
    packages: ['alpha@1.0.1'],
  },
  {
    name: 'yarn 1, several ranges, alias and development',
    files: {
      'package.json': manifest({ alpha: '^1.0.0', nick: 'npm:real@2' }, { tester: '^3.0.0' }),
      'yarn.lock': `# yarn lockfile v1\n\n\nalpha@^1.0.0, alpha@~1.2.0:\n  version "1.2.3"\n  resolved "https://registry.yarnpkg.com/alpha/-/alpha-1.2.3.tgz#00"\n  dependencies:\n    "@scope/beta" "^0.1.0"\n\n"@scope/beta@^0.1.0":\n  version "0.1.9"\n\n"nick@npm:real@2":\n  version "2.5.0"\n\ntester@^3.0.0:\n  version "3.1.0"\n  dependencies:\n    helper "1.x"\n\nhelper@1.x:\n  version "1.9.0"\n`,
    },
    packages: ['alpha@1.2.3', '@scope/beta@0.1.9', 'real@2.5.0', 'dev:tester@3.1.0', 'dev:helper@1.9.0'],
  },
  {
    name: 'yarn 4, workspace and patch',
    files: {
      'package.json': manifest({ alpha: '^1.0.0' }, { tester: '^3.0.0' }),
      'yarn.lock': `__metadata:\n  version: 8\n  cacheKey: 10c0\n\n"agent@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "agent@workspace:."\n  dependencies:\n    alpha: "npm:^1.0.0"\n    tester: "npm:^3.0.0"\n  languageName: unknown\n  linkType: soft\n\n"alpha@npm:^1.0.0":\n  version: 1.2.3\n  resolution: "alpha@npm:1.2.3"\n  checksum: 10c0/00\n  languageName: node\n  linkType: hard\n\n"tester@npm:^3.0.0":\n  version: 3.1.0\n  resolution: "tester@npm:3.1.0"\n  languageName: node\n  linkType: hard\n`,
    },
    packages: ['alpha@1.2.3', 'dev:tester@3.1.0'],
  },
  {
    name: 'pnpm 9, peers and development',
    files: {
      'package.json': manifest({ alpha: '^1.0.0' }, { tester: '^3.0.0' }),
      'pnpm-lock.yaml': `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      alpha:\n        specifier: ^1.0.0\n        version: 1.2.3(peer@2.0.0)\n    devDependencies:\n      tester:\n        specifier: ^3.0.0\n        version: 3.1.0\n\npackages:\n\n  alpha@1.2.3:\n    resolution: {integrity: ${SHA}}\n    peerDependencies:\n      peer: '*'\n\n  '@scope/beta@0.1.0':\n    resolution: {integrity: ${SHA}}\n\n  peer@2.0.0:\n    resolution: {integrity: ${SHA}}\n\n  tester@3.1.0:\n    resolution: {integrity: ${SHA}}\n\nsnapshots:\n\n  alpha@1.2.3(peer@2.0.0):\n    dependencies:\n      '@scope/beta': 0.1.0\n      peer: 2.0.0\n\n  '@scope/beta@0.1.0': {}\n\n  peer@2.0.0: {}\n\n  tester@3.1.0: {}\n`,
    },
    packages: ['alpha@1.2.3', '@scope/beta@0.1.0', 'peer@2.0.0', 'dev:tester@3.1.0'],
  },
  {
    name: 'pnpm 6, peers',
    files: {
      'package.json': manifest({ alpha: '^1.0.0' }, { tester: '^3.0.0' }),
      'pnpm-lock.yaml': `lockfileVersion: '6.0'\n\ndependencies:\n  alpha:\n    specifier: ^1.0.0\n    version: 1.2.3(peer@2.0.0)\n\ndevDependencies:\n  tester:\n    specifier: ^3.0.0\n    version: 3.1.0\n\npackages:\n\n  /@scope/beta@0.1.0:\n    resolution: {integrity: ${SHA}}\n    dev: false\n\n  /alpha@1.2.3(peer@2.0.0):\n    resolution: {integrity: ${SHA}}\n    dependencies:\n      '@scope/beta': 0.1.0\n      peer: 2.0.0\n    dev: false\n\n  /peer@2.0.0:\n    resolution: {integrity: ${SHA}}\n    dev: false\n\n  /tester@3.1.0:\n    resolution: {integrity: ${SHA}}\n    dev: true\n`,
    },
    packages: ['alpha@1.2.3', '@scope/beta@0.1.0', 'peer@2.0.0', 'dev:tester@3.1.0'],
  },
  {
    name: 'pnpm 5, peers',
    files: {
      'package.json': manifest({ alpha: '^1.0.0' }),
      'pnpm-lock.yaml': `lockfileVersion: 5.4\n\nspecifiers:\n  alpha: ^1.0.0\n\ndependencies:\n  alpha: 1.2.3_peer@2.0.0\n\npackages:\n\n  /@scope/beta/0.1.0:\n    resolution: {integrity: ${SHA}}\n    dev: false\n\n  /alpha/1.2.3_peer@2.0.0:\n    resolution: {integrity: ${SHA}}\n    dependencies:\n      '@scope/beta': 0.1.0\n      peer: 2.0.0\n    dev: false\n\n  /peer/2.0.0:\n    resolution: {integrity: ${SHA}}\n    dev: false\n`,
    },
    packages: ['alpha@1.2.3', '@scope/beta@0.1.0', 'peer@2.0.0'],
  },
  {
    name: 'bun, trailing commas and development',
    files: {
      'package.json': manifest({ alpha: '^1.0.0' }, { tester: '^3.0.0' }),
      'bun.lock': `{\n  "lockfileVersion": 1,\n  "workspaces": {\n    "": {\n      "name": "agent",\n      "dependencies": { "alpha": "^1.0.0", },\n      "devDependencies": { "tester": "^3.0.0", },\n    },\n  },\n  "packages": {\n    "alpha": ["alpha@1.2.3", "", { "dependencies": { "@scope/beta": "^0.1.0" } }, "${SHA}"],\n    "@scope/beta": ["@scope/beta@0.1.0", "", {}, "${SHA}"],\n    "tester": ["tester@3.1.0", "", {}, "${SHA}"],\n  }\n}\n`,
    },
    packages: ['alpha@1.2.3', '@scope/beta@0.1.0', 'dev:tester@3.1.0'],
  },
]; // prettier-ignore

const PYTHON: readonly LockfileCase[] = [
  {
    name: 'poetry 2, groups',
    files: {
      'pyproject.toml': `[tool.poetry]\nname = "agent"\n\n[tool.poetry.dependencies]\npython = "^3.11"\nalpha = "^1.0"\n\n[tool.poetry.group.dev.dependencies]\ntester = "^3.0"\n`,
      'poetry.lock': `[[package]]\nname = "alpha"\nversion = "1.2.3"\ndescription = ""\noptional = false\npython-versions = "*"\ngroups = ["main"]\nfiles = []\n\n[package.dependencies]\nBeta_Pack = ">=0.1"\n\n[[package]]\nname = "beta-pack"\nversion = "0.1.0"\noptional = false\npython-versions = "*"\ngroups = ["main"]\nfiles = []\n\n[[package]]\nname = "tester"\nversion = "3.1.0"\noptional = false\npython-versions = "*"\ngroups = ["dev"]\nfiles = []\n\n[metadata]\nlock-version = "2.1"\npython-versions = "^3.11"\ncontent-hash = "00"\n`,
    },
    packages: ['alpha@1.2.3', 'beta-pack@0.1.0', 'dev:tester@3.1.0'],
  },
  {
    name: 'poetry 1, categories',
    files: {
      'pyproject.toml': `[tool.poetry]\nname = "agent"\n\n[tool.poetry.dependencies]\nalpha = "^1.0"\n\n[tool.poetry.dev-dependencies]\ntester = "^3.0"\n`,
      'poetry.lock': `[[package]]\nname = "alpha"\nversion = "1.2.3"\ncategory = "main"\noptional = false\npython-versions = "*"\n\n[[package]]\nname = "tester"\nversion = "3.1.0"\ncategory = "dev"\noptional = false\npython-versions = "*"\n\n[metadata]\nlock-version = "1.1"\npython-versions = "*"\ncontent-hash = "00"\n`,
    },
    packages: ['alpha@1.2.3', 'dev:tester@3.1.0'],
  },
  {
    name: 'uv, development group and extra',
    files: {
      'pyproject.toml': `[project]\nname = "agent"\nversion = "1"\ndependencies = ["alpha>=1"]\n\n[dependency-groups]\ndev = ["tester>=3"]\n`,
      'uv.lock': `version = 1\nrequires-python = ">=3.11"\n\n[[package]]\nname = "agent"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [\n    { name = "alpha" },\n]\n\n[package.dev-dependencies]\ndev = [\n    { name = "tester" },\n]\n\n[[package]]\nname = "alpha"\nversion = "1.2.3"\nsource = { registry = "https://pypi.org/simple" }\ndependencies = [\n    { name = "beta", marker = "sys_platform == 'win32'" },\n]\n\n[[package]]\nname = "beta"\nversion = "0.1.0"\nsource = { registry = "https://pypi.org/simple" }\n\n[[package]]\nname = "tester"\nversion = "3.1.0"\nsource = { registry = "https://pypi.org/simple" }\n`,
    },
    packages: ['alpha@1.2.3', 'beta@0.1.0', 'dev:tester@3.1.0'],
  },
  {
    name: 'pdm, groups',
    files: {
      'pyproject.toml': `[project]\nname = "agent"\ndependencies = ["alpha>=1"]\n\n[tool.pdm.dev-dependencies]\ntest = ["tester>=3"]\n`,
      'pdm.lock': `[metadata]\ngroups = ["default", "test"]\nstrategy = ["inherit_metadata"]\nlock_version = "4.5.0"\n\n[[package]]\nname = "alpha"\nversion = "1.2.3"\nsummary = ""\ngroups = ["default"]\n\n[[package]]\nname = "tester"\nversion = "3.1.0"\nsummary = ""\ngroups = ["test"]\n`,
    },
    packages: ['alpha@1.2.3', 'dev:tester@3.1.0'],
  },
  {
    name: 'pipenv',
    files: {
      Pipfile: '[packages]\nalpha = "*"\n\n[dev-packages]\ntester = "*"\n',
      'Pipfile.lock': json({
        _meta: { 'pipfile-spec': 6 },
        default: { alpha: { version: '==1.2.3', markers: "python_version >= '3.8'" } },
        develop: { tester: { version: '==3.1.0' } },
      }),
    },
    packages: ['alpha@1.2.3', 'dev:tester@3.1.0'],
  },
  {
    name: 'pylock',
    files: {
      'pyproject.toml': `[project]\nname = "agent"\ndependencies = ["alpha>=1"]\n`,
      'pylock.toml': `lock-version = "1.0"\ncreated-by = "tool"\n\n[[packages]]\nname = "alpha"\nversion = "1.2.3"\n\n[[packages]]\nname = "tester"\nversion = "3.1.0"\nmarker = "'dev' in dependency_groups"\n`,
    },
    packages: ['alpha@1.2.3', 'dev:tester@3.1.0'],
  },
  {
    name: 'requirements that include others',
    files: {
      'requirements.txt': '-r requirements/base.txt\n-c constraints.txt\nalpha[fast,extra]==1.2.3 ; python_version >= "3.8"  # pinned\ngamma\n',
      'requirements/base.txt': 'Beta_Pack==0.1.0 \\\n    --hash=sha256:00\n',
      'constraints.txt': 'gamma==2.0.0\nunused==9.9.9\n',
      'requirements-dev.txt': '-r requirements.txt\ntester==3.1.0\n',
    },
    packages: ['alpha@1.2.3', 'beta-pack@0.1.0', 'gamma@2.0.0', 'dev:tester@3.1.0'],
  },
  {
    name: 'requirements of odd forms',
    files: {
      'requirements.txt': '\ufeff# comment\n--index-url https://pypi.org/simple\nalpha===1.2.3\nbeta == 0.1.0 # note\ngit+https://github.com/someone/thing.git@v1\n./local\ndelta @ https://example.com/delta-1.0.0.whl\nepsilon==5.0\nzeta==1.0 -C key=value\n',
    },
    packages: ['alpha@1.2.3', 'beta@0.1.0', 'epsilon@5.0', 'zeta@1.0'],
  },
]; // prettier-ignore

export const LOCKFILE_CASES: readonly LockfileCase[] = [...NPM, ...PYTHON];
