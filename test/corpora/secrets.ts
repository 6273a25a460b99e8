/**
 * Secrets in the forms that issuers document, and values that only look like them. Values are made when the corpus is
 * loaded, so that no file of this repository contains one. README.md names the sources.
 */
import { madeUp } from '../support/verification/bundles';

export interface SecretCase {
  name: string;
  path: string;
  text: string;
  /** `secret`: must be found. `public`: at most a finding of severity medium. `none`: no finding. */
  is: 'secret' | 'public' | 'none';
}

const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64 = `${ALNUM}+/`;
let seed = 100;
const of = (alphabet: string, length: number) => madeUp(alphabet, length, (seed += 7_919));
const uuid = () => [8, 4, 4, 4, 12].map((length) => of(HEX, length)).join('-');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: object) =>
  `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}.${of(`${ALNUM}_-`, 43)}`;
const pem = (kind: string, size = 1_592) =>
  `-----BEGIN ${kind}-----\n${(of(BASE64, size).match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${kind}-----\n`;

/** Tokens that are recognizable by their form, by issuer. */
const TOKENS: Record<string, () => string> = {
  'AWS access key': () => `AKIA${of('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
  'GitHub token': () => `ghp_${of(ALNUM, 36)}`,
  'GitHub fine-grained token': () => `github_pat_${of(ALNUM, 22)}_${of(ALNUM, 59)}`,
  'GitLab token': () => `glpat-${of(ALNUM, 20)}`,
  'Slack bot token': () => `xoxb-${of('123456789', 12)}-${of('123456789', 12)}-${of(ALNUM, 24)}`,
  'Stripe live key': () => `sk_live_${of(ALNUM, 24)}`,
  'Stripe restricted key': () => `rk_live_${of(ALNUM, 30)}`,
  'OpenAI project key': () => `sk-proj-${of(ALNUM, 74)}T3BlbkFJ${of(ALNUM, 74)}`,
  'Anthropic key': () => `sk-ant-api03-${of(`${ALNUM}_-`, 93)}AA`,
  'OpenRouter key': () => `sk-or-v1-${of(HEX, 64)}`,
  'Google key': () => `AIza${of(`${ALNUM}_-`, 35)}`,
  'Hugging Face token': () => `hf_${of('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 34)}`,
  'Hugging Face token with numbers': () => `hf_${of(ALNUM, 34)}`,
  'OpenAI key of a service account': () => `sk-nightly-reports-${of(ALNUM, 20)}T3BlbkFJ${of(ALNUM, 20)}`,
  'Figma refresh token': () => `figr_${of(ALNUM, 40)}`,
  'Atlassian repository token': () => `ATCTT3${of(ALNUM, 150)}=${of(UPPER, 8)}`,
  'Pulumi token': () => `pul-${of(LOWER, 40)}`,
  'Groq key': () => `gsk_${of(ALNUM, 52)}`,
  'Replicate token': () => `r8_${of(ALNUM, 37)}`,
  'xAI key': () => `xai-${of(ALNUM, 80)}`,
  'Perplexity key': () => `pplx-${of(ALNUM, 48)}`,
  'Tavily key': () => `tvly-${of(ALNUM, 32)}`,
  'Pinecone key': () => `pcsk_${of(ALNUM, 6)}_${of(ALNUM, 63)}`,
  'LangSmith key': () => `lsv2_pt_${of(HEX, 32)}_${of(HEX, 10)}`,
  'Langfuse key': () => `sk-lf-${uuid()}`,
  'NVIDIA key': () => `nvapi-${of(`${ALNUM}_-`, 64)}`,
  'Firecrawl key': () => `fc-${of(HEX, 32)}`,
  'DeepSeek key': () => `sk-${of(HEX, 32)}`,
  'npm token': () => `npm_${of(LOWER, 36)}`,
  'PyPI token': () => `pypi-AgEIcHlwaS5vcmc${of(`${ALNUM}_-`, 120)}`,
  'SendGrid key': () => `SG.${of(`${ALNUM}_-`, 22)}.${of(`${ALNUM}_-`, 43)}`,
  'Twilio key': () => `SK${of(HEX, 32)}`,
  'Mailgun key': () => `key-${of(HEX, 32)}`,
  'Telegram bot token': () => `${of('123456789', 10)}:AA${of(`${ALNUM}_-`, 33)}`,
  'Shopify token': () => `shpat_${of(HEX, 32)}`,
  'DigitalOcean token': () => `dop_v1_${of(HEX, 64)}`,
  'Databricks token': () => `dapi${of('abcdef0123456789', 32)}`,
  'Doppler token': () => `dp.pt.${of(ALNUM, 43)}`,
  'Linear key': () => `lin_api_${of(ALNUM, 40)}`,
  'Notion token': () => `ntn_${of('123456789', 11)}${of(ALNUM, 35)}`,
  'Grafana token': () => `glsa_${of(ALNUM, 32)}_${of(HEX, 8)}`,
  'Vault token': () => `hvs.${of(`${ALNUM}_-`, 95)}`,
  'Supabase token': () => `sbp_${of(HEX, 40)}`,
  'Resend key': () => `re_${of(ALNUM, 8)}_${of(ALNUM, 24)}`,
  'Razorpay key': () => `rzp_live_${of(ALNUM, 14)}`,
  'Tailscale key': () => `tskey-auth-${of(ALNUM, 16)}-${of(ALNUM, 32)}`,
  'Docker token': () => `dckr_pat_${of(`${ALNUM}_-`, 27)}`,
  'Webhook secret': () => `whsec_${of(ALNUM, 32)}`,
  'Atlassian token': () => `ATATT3${of(`${ALNUM}_-`, 186)}`,
};

const secret = (name: string, path: string, text: string): SecretCase => ({ name, path, text, is: 'secret' });

/** Each token in a form of file in which people leave it. */
const PLACES: ((token: string) => { path: string; text: string })[] = [
  (token) => ({ path: 'src/client.js', text: `const client = new Client({ apiKey: '${token}' });\n` }),
  (token) => ({ path: 'agent/main.py', text: `import os\n\nclient = Client("${token}")\n` }),
  (token) => ({ path: '.env', text: `PORT=8080\nSERVICE=${token}\n` }),
  (token) => ({ path: 'config.yaml', text: `service:\n  value: ${token}\n` }),
  (token) => ({ path: 'src/settings.json', text: JSON.stringify({ name: 'x', value: token }) }),
  (token) => ({ path: 'notes.txt', text: `log in with ${token} until friday\n` }),
];

const tokenCases = Object.entries(TOKENS).map(([name, make], at): SecretCase => {
  const place = PLACES[at % PLACES.length]?.(make());
  return secret(name, place?.path ?? '', place?.text ?? '');
});

const token = (name: string) => TOKENS[name]?.() ?? '';

const encodedCases: SecretCase[] = [
  secret('base64 of a GitHub token', 'src/a.js', `const t = atob('${base64(token('GitHub token'))}');\n`),
  secret('base64 of an assignment', 'k8s.yaml', `data:\n  conf: ${base64(`STRIPE=${token('Stripe live key')}\n`)}\n`),
  secret('base64 twice', 'src/b.py', `k = "${base64(base64(`t=${token('Slack bot token')}`))}"\n`),
  secret('base64 without padding', 'src/c.js', `const k = '${base64(`x ${token('npm token')}`).replace(/=+$/, '')}';\n`),
  secret('hexadecimal', 'src/d.py', `k = bytes.fromhex("${Buffer.from(token('Stripe live key')).toString('hex')}")\n`),
  secret('hexadecimal of an Anthropic key', 'x.toml', `v = "${Buffer.from(token('Anthropic key')).toString('hex')}"\n`),
  secret('two parts', 'src/e.js', `const t = '${token('GitHub token').slice(0, 12)}' + '${of(ALNUM, 28)}';\n`),
  secret('two lines', 'src/f.py', `t = ("ghp_${of(ALNUM, 10)}"\n     "${of(ALNUM, 26)}")\n`),
  secret('a joined list', 'src/g.js', `const t = ['sk_live_', '${of(ALNUM, 12)}', '${of(ALNUM, 12)}'].join('');\n`),
  secret('a joined list of Python', 'src/h.py', `t = "".join(["hf_", "${of('ABCDEFGHJKLMabcdefghjklm', 34)}"])\n`),
  secret('unicode escapes', 'src/i.js', `const t = '${[...token('GitLab token')].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}';\n`),
  secret('byte escapes', 'src/j.py', `t = b"${[...token('GitHub token')].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')}"\n`),
  secret('percent escapes', 'src/k.js', `fetch('https://x.io/?q=${[...token('Stripe live key')].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')}');\n`),
]; // prettier-ignore

const formCases: SecretCase[] = [
  secret('private key', 'keys/deploy.pem', pem('RSA PRIVATE KEY')),
  secret('OpenSSH key', 'id_rsa', pem('OPENSSH PRIVATE KEY', 1_800)),
  secret('EC key', 'src/sign.key', pem('EC PRIVATE KEY', 164)),
  secret('service account', 'service-account.json', JSON.stringify({ type: 'service_account', private_key: pem('PRIVATE KEY') })),
  secret('AWS secret key', '.aws/credentials', `[default]\naws_secret_access_key = ${of(BASE64, 40)}\n`),
  secret('AWS secret option', 'src/s3.ts', `new S3({ credentials: { secretAccessKey: '${of(BASE64, 40)}' } });\n`),
  secret('database address', 'src/db.py', `URL = "postgresql://app:${of(ALNUM, 20)}@db.prod-eu.acme-data.io:5432/app"\n`),
  secret('redis address', 'config.yml', `cache: rediss://:${of(ALNUM, 32)}@cache-1.acme-data.io:6380/0\n`),
  secret('mongodb address', '.env.production', `MONGO=mongodb+srv://svc:${of(ALNUM, 16)}@cluster0.a1b2c.mongodb.net/x\n`),
  secret('git address', '.git/config', `[remote "origin"]\n\turl = https://bot:${token('GitHub token')}@github.com/acme/agent.git\n`),
  secret('git address with a password', '.git/config', `[remote "origin"]\n\turl = https://ci:${of(ALNUM, 22)}@git.acme-data.io/agent.git\n`),
  secret('connection string', 'appsettings.json', `{"Db":"Server=sql.acme-data.io;Database=a;User Id=sa;Password=${of(ALNUM, 14)}!9;"}`),
  secret('npmrc', '.npmrc', `//registry.npmjs.org/:_authToken=${token('npm token')}\n`),
  secret('npmrc of a company', '.npmrc', `//npm.acme-data.io/:_authToken=${uuid()}\n`),
  secret('netrc', '.netrc', `machine api.acme-data.io login bot password ${of(ALNUM, 18)}\n`),
  secret('Azure storage', 'src/blob.py', `C = "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${of(BASE64, 86)}=="\n`),
  secret('Discord webhook', 'src/hook.js', `post('https://discord.com/api/webhooks/${of('123456789', 18)}/${of(`${ALNUM}_-`, 68)}');\n`),
  secret('Slack webhook', 'src/n.py', `H = "https://hooks.slack.com/services/T${of(UPPER, 8)}/B${of(UPPER, 10)}/${of(ALNUM, 24)}"\n`),
  secret('service role token', 'src/supa.ts', `const k = '${jwt({ iss: 'supabase', ref: of(LOWER, 20), role: 'service_role', exp: 2_000_000_000 })}';\n`),
  secret('signed token', 'src/tok.py', `T = "${jwt({ sub: 'svc-17', iss: 'https://login.acme-data.io', exp: 4_000_000_000 })}"\n`),
  secret('generic key', 'src/app.py', `api_key = "${of(ALNUM, 40)}"\n`),
  secret('generic secret', 'src/app.js', `const clientSecret = '${of(ALNUM, 32)}';\n`),
  secret('password of an environment file', '.env', `DB_PASSWORD=${of(ALNUM, 18)}\n`),
  secret('key of an environment file', 'deploy/.env', `SIGNING_SECRET="${of(HEX, 48)}"\n`),
  secret('password with signs', 'src/mail.py', `smtp_password = "Kq7#${of(ALNUM, 8)}!z"\n`),
  secret('password in YAML', 'config/prod.yml', `database:\n  password: "v9!${of(ALNUM, 10)}"\n`),
  secret('Docker environment', 'Dockerfile', `FROM node:20\nENV SESSION_SECRET=${of(HEX, 40)}\n`),
  secret('Datadog key', 'src/dd.js', `const datadog_api_key = '${of(HEX, 32)}';\n`),
  secret('vendored key', 'node_modules/helper/index.js', `module.exports = '${token('GitHub token')}';\n`),
  secret('key in a lockfile', 'package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/a': { version: '1.0.0', resolved: `https://x:${token('GitHub token')}@npm.acme-data.io/a.tgz` } } })),
  secret('key behind NUL bytes', 'src/z.js', `const a = "\u0000";\nconst t = '${token('Stripe live key')}';\n`),
  secret('key in a long line', 'src/long.js', `const data = '${'lorem ipsum dolor '.repeat(180)}', t = '${token('GitHub token')}';\n`),
]; // prettier-ignore

const none = (name: string, path: string, text: string): SecretCase => ({ name, path, text, is: 'none' });
const open = (name: string, path: string, text: string): SecretCase => ({ name, path, text, is: 'public' });

const publicCases: SecretCase[] = [
  open('Firebase web key', 'src/firebase.js', `const firebaseConfig = { apiKey: '${token('Google key')}', authDomain: 'a.firebaseapp.com' };\n`),
  open('Stripe test key', 'src/pay.js', `const stripe = new Stripe('sk_test_${of(ALNUM, 24)}');\n`),
  open('Supabase anonymous key', 'src/s.ts', `const k = '${jwt({ iss: 'supabase', role: 'anon', exp: 2_000_000_000 })}';\n`),
  open('expired token', 'src/t.ts', `const k = '${jwt({ iss: 'https://a.io', sub: 'svc', exp: 1_400_000_000 })}';\n`),
  open('local certificate', 'certs/localhost-key.pem', pem('PRIVATE KEY')),
  open('snakeoil key', 'docker/snakeoil.key', pem('PRIVATE KEY')),
  open('allowed with a reason', 'src/a.js', `const t = '${token('GitHub token')}'; // gitleaks:allow - revoked in May\n`),
  open('key in an unused test', 'tests/unit/a.test.js', `const t = '${token('GitHub token')}';\n`),
]; // prettier-ignore

const lookAlikes: SecretCase[] = [
  none('documented AWS key', 'README.md', `AWS_ACCESS_KEY_ID=${'AKIA'}IOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n`),
  none('documented Stripe key', 'src/p.py', `stripe.api_key = "${'sk_test_'}4eC39HqLyjWDarjtT1zdp7dc"\n`),
  none('token of jwt.io', 'src/j.js', `const t = '${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub: '1234567890', name: 'John Doe', iat: 1_516_239_022 })}.${of(`${ALNUM}_-`, 43)}';\n`),
  none('redacted', 'src/r.js', "log('token', '[REDACTED]');\nconst apiKey = '****************';\n"),
  none('placeholder', 'README.md', 'export OPENAI_API_KEY=sk-your-key-here\nAPI_KEY="<your api key>"\n'),
  none('placeholder of a template', '.env.example', 'API_KEY=your-api-key-here\nSECRET_KEY=changeme-please-1\nDB_PASSWORD=\n'),
  none('run of characters', 'src/x.js', `const token = '${'ghp_'}${'x'.repeat(36)}';\nconst k = '${'sk_live_'}abcdefghijklmnop12345678';\n`),
  none('environment of Node', 'src/e.js', "const apiKey = process.env.OPENAI_API_KEY_V2;\nconst secret = process.env['JWT_SECRET_2'] ?? '';\n"),
  none('environment of Python', 'src/e.py', 'api_key = os.getenv("API_KEY_V2")\ntoken = os.environ["SERVICE_TOKEN_1"]\n'),
  none('generated code', 'src/g.js', 'const code = `const key = os.getenv("OPENAI_API_KEY")`;\n'),
  none('tokenizer', 'src/tok.py', 'WORD_TOKEN = "word_token_17"\nPAD_TOKEN = "[PAD]"\nUNK_TOKEN_ID = 100257\nSEP_TOKEN = "<|endoftext|>"\n'),
  none('header name', 'src/h.js', "const AUTH_HEADER = 'x-api-key-version-2';\nheaders['X-Auth-Token-2'] = token;\n"),
  none('vault reference', 'config.yml', 'password: ${VAULT_DB_PASSWORD}\nsecret: vault:kv/data/app#key1\napi_key: {{ .Values.apiKey }}\n'),
  none('secret manager', 'src/sm.py', 'secret_name = "projects/12345/secrets/db-pass/versions/3"\n'),
  none('commit', 'CHANGES.txt', `key commit ${of(HEX, 40)}\n`),
  none('digest', 'src/d.py', `EXPECTED_SHA256 = "${of(HEX, 64)}"\nmd5_checksum = "${of(HEX, 32)}"\n`),
  none('integrity', 'index.html', `<script src="a.js" integrity="sha384-${of(BASE64, 64)}" crossorigin="anonymous"></script>\n`),
  none('lockfile', 'package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/a': { version: '1.0.0', integrity: `sha512-${of(BASE64, 86)}==` } } })),
  none('lockfile of Python', 'poetry.lock', `[[package]]\nname = "a"\nversion = "1"\nfiles = [{file = "a.whl", hash = "sha256:${of(HEX, 64)}"}]\n`),
  none('identifier', 'src/i.ts', `export const CACHE_KEY = '${uuid()}';\nconst primaryKey = '${of(HEX, 24)}';\n`),
  none('idempotency key', 'src/idem.js', `headers['Idempotency-Key'] = '${uuid()}';\n`),
  none('public key', 'keys/public.pem', pem('PUBLIC KEY', 392)),
  none('certificate', 'certs/ca.pem', pem('CERTIFICATE')),
  none('SSH public key', 'authorized.pub', `ssh-rsa AAAAB3NzaC1yc2E${of(BASE64, 350)} me@acme\n`),
  none('publishable key', 'src/pub.js', `const publishableKey = '${'pk_live_'}${of(ALNUM, 24)}';\n`),
  none('site key', 'src/captcha.html', `<div class="g-recaptcha" data-sitekey="6L${of(`${ALNUM}_-`, 38)}"></div>\n`),
  none('image', 'src/img.css', `.a { background: url(data:image/png;base64,${of(BASE64, 800)}=) }\n`),
  none('source map', 'src/m.js', `//# sourceMappingURL=data:application/json;base64,${base64(JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA,SAAS' }))}\n`),
  none('local database', 'docker-compose.yml', 'environment:\n  DATABASE_URL: postgres://postgres:postgres@db:5432/app\n  POSTGRES_PASSWORD: postgres\n'),
  none('local database of a test', 'src/db.ts', "const url = 'postgresql://app:local-pass-1@localhost:5432/app';\n"),
  none('documented address', 'src/u.py', '# postgres://user:password1@example.com/db\nURL = "mysql://user:pass1234@db.example.com/x"\n'),
  none('template of an address', 'src/u.js', 'const url = `postgres://${user}:${password}@${host}:5432/db`;\n'),
  none('type', 'src/t.ts', 'export interface Auth { accessToken: string; refreshToken?: string; apiKey: string | undefined }\n'),
  none('translation', 'src/en.json', '{"auth.password.label": "Password", "error.token.expired": "Your token has expired (401)"}\n'),
  none('regular expression', 'src/re.js', "const AWS_KEY = /AKIA[0-9A-Z]{16}/;\nconst token = /ghp_[A-Za-z0-9]{36}/;\n"),
  none('rule of a scanner', 'src/rules.toml', "id = \"github-pat\"\nregex = '''ghp_[0-9a-zA-Z]{36}'''\n"),
  none('path', 'src/p.js', "const keyFile = '/etc/ssl/private/server-key-2.pem';\nconst tokenPath = './data/tokens/v2.json';\n"),
  none('query', 'src/q.sql', 'SELECT access_token_2, secret_key_hash FROM sessions WHERE token_type = 1;\n'),
  none('function', 'src/f.ts', 'const token = await getAccessToken2(user.id1);\nconst secret = readSecretFromVault3(name);\n'),
  none('password of a form', 'src/form.tsx', '<input type="password" name="password2" autoComplete="new-password-1" />\n'),
  none('password placeholder', 'src/seed.js', "const password = 'password123';\nconst pw = 'Test1234!';\nconst secret = 'my-secret-value-1';\n"),
  none('model name', 'src/m.py', 'model = "claude-sonnet-4-5-20250929"\nembedding_key = "text-embedding-3-large"\nTOKENIZER = "cl100k_base_v2"\n'),
  none('colours', 'src/c.css', '--key-color: #a1b2c3d4;\n--token: oklch(0.21 0.006 285.885);\n'),
  none('address of a blockchain', 'src/eth.ts', `const tokenAddress = '0x${of(HEX, 40)}';\n`),
  none('hash of a password', 'src/user.json', `{"passwordHash":"$2b$12$${of(`${ALNUM}./`, 53)}"}\n`),
  none('salted digest', 'requirements.txt', `flask==3.0.0 --hash=sha256:${of(HEX, 64)}\n`),
  none('etag', 'src/etag.py', `etag = '"${of(HEX, 32)}"'\n`),
  none('trace', 'src/trace.js', `const traceparent = '00-${of(HEX, 32)}-${of(HEX, 16)}-01';\n`),
  none('random words', 'docs/pw.md', 'password: correct-horse-battery-staple\n'),
  none('bundle of words', 'src/w.py', 'api_key_error = "invalid_api_key_or_token_2"\nsecret_scanning = "enabled_2024"\n'),
  none('notebook output', 'src/n.ipynb', JSON.stringify({ cells: [{ outputs: [{ data: { 'image/png': of(BASE64, 400) } }] }] })),
  none('GitHub Actions', '.github/workflows/ci.yml', 'env:\n  TOKEN: ${{ secrets.NPM_TOKEN_2 }}\n  KEY: ${{ github.event.inputs.key1 }}\n'),
  none('terraform', 'main.tf', 'password = var.db_password_2\nsecret_key = data.vault_generic_secret.app.data["key1"]\n'),
  none('emulator of Azure', 'src/az.js', "const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';\n"),
  none('empty key', 'keys/README.pem', '-----BEGIN PRIVATE KEY-----\nYOUR PRIVATE KEY GOES HERE, one line for each 64 characters of it\n-----END PRIVATE KEY-----\n'),
  none('cut key', 'docs/key.md', '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA...\n............................................................\n-----END RSA PRIVATE KEY-----\n'),
  none('country and currency', 'src/k.js', "const translationKey = 'checkout.error.3ds_failed';\nconst sortKey = 'created_at_2';\n"),
  none('keyboard', 'src/kb.ts', "const shortcutKey = 'Control+Shift+F12';\nconst key = 'ArrowLeft1234567';\n"),
  none('S3 object', 'src/s3.js', "await s3.getObject({ Bucket: 'b', Key: 'exports/2024/06/report-a81f3c.csv' });\n"),
  none('licence text', 'src/lic.js', '/* key words: token, secret, password1; see https://acme.io/token/1 */\n'),
]; // prettier-ignore

export const SECRET_CASES: readonly SecretCase[] = [
  ...tokenCases,
  ...encodedCases,
  ...formCases,
  ...publicCases,
  ...lookAlikes,
];
