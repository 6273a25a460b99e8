/**
 * What secrets look like, in RE2's language: the forms that the issuers of keys document, and one rule for assignments
 * of values that look random. An operator may add the rules of gitleaks, or others in its format, by
 * SECRET_RULES_FILE (docs/verification.md). Keywords are in lower case: a rule is tried only near one of them.
 */
export interface SecretRule {
  id: string;
  description: string;
  regex: string;
  keywords: string[];
  /** Bits per character that the secret has at least (Shannon). */
  entropy?: number;
  /** The group that is the secret; otherwise the first one that matched, else the whole. */
  secretGroup?: number;
  /** Only in files whose path matches. */
  path?: string;
  /** Matches that are none: patterns over the secret, over the whole match, over the line, over the path. */
  allow?: { target: 'secret' | 'match' | 'line' | 'path'; regex: string }[];
  stopwords?: string[];
}

const form = (id: string, what: string, regex: string, keywords: string[], entropy = 3): SecretRule => ({
  id,
  description: what,
  regex,
  keywords,
  entropy,
});

/** Tokens that carry the mark of their issuer. */
const MARKED: SecretRule[] = [
  form('aws-access-key', 'An access key of Amazon Web Services', '\\b((?:AKIA|ASIA)[A-Z2-7]{16})\\b', [
    'akia',
    'asia',
  ]),
  form('gcp-api-key', 'An API key of Google Cloud', '\\b(AIza[\\w-]{35})(?:[^\\w-]|$)', ['aiza']),
  form('gcp-oauth-secret', 'An OAuth client secret of Google', '\\b(GOCSPX-[\\w-]{28})', ['gocspx-']),
  form('azure-storage-key', 'An account key of Azure Storage', 'AccountKey=([A-Za-z0-9+/]{86}==)', [
    'accountkey=',
  ]),
  form('azure-client-secret', 'A client secret of Microsoft Entra', '\\b([\\w~.-]{3}[78]Q~[\\w~.-]{31,34})', [
    '7q~',
    '8q~',
  ]),
  form('github-token', 'A token of GitHub', '\\b(gh[opsur]_[A-Za-z0-9]{36,251})\\b', [
    'ghp_',
    'gho_',
    'ghs_',
    'ghu_',
    'ghr_',
  ]),
  form('github-fine-grained-token', 'A fine-grained token of GitHub', '\\b(github_pat_\\w{60,90})\\b', [
    'github_pat_',
  ]),
  form('gitlab-token', 'A token of GitLab', '\\b(gl(?:pat|ptt|dt|rt|soat|cbt|ft)-[\\w.-]{20,60})', [
    'glpat-',
    'glptt-',
    'gldt-',
    'glrt-',
    'glsoat-',
    'glcbt-',
    'glft-',
  ]),
  form('atlassian-token', 'An API token of Atlassian', '\\b(ATATT3[\\w=-]{100,250})', ['atatt3']),
  form(
    'slack-token',
    'A token of Slack',
    '\\b(xox[abeprs]-[A-Za-z0-9-]{20,200}|xapp-\\d-[A-Za-z0-9-]{20,200})',
    ['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
  ),
  form(
    'slack-webhook',
    'An incoming webhook of Slack',
    '(hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9+/]{40,60})',
    ['hooks.slack.com'],
  ),
  form(
    'discord-webhook',
    'A webhook of Discord',
    '(discord(?:app)?\\.com/api/webhooks/\\d{15,20}/[\\w-]{60,80})',
    ['/api/webhooks/'],
  ),
  form('telegram-bot-token', 'A bot token of Telegram', '\\b(\\d{8,10}:AA[\\w-]{33})(?:[^\\w-]|$)', [':aa']),
  form('stripe-key', 'A secret key of Stripe', '\\b((?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,120})\\b', [
    'sk_live_',
    'sk_test_',
    'sk_prod_',
    'rk_live_',
    'rk_test_',
    'rk_prod_',
  ]),
  form(
    'square-token',
    'An access token of Square',
    '\\b((?:EAAA|sq0(?:atp|csp)-)[\\w-]{22,60})',
    ['eaaa', 'sq0atp-', 'sq0csp-'],
    3.5,
  ),
  form('shopify-token', 'A token of Shopify', '\\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\\b', [
    'shpat_',
    'shpca_',
    'shppa_',
    'shpss_',
  ]),
  form(
    'openai-key',
    'An API key of OpenAI',
    '\\b(sk-(?:(?:proj|svcacct|admin)-[\\w-]{40,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}))',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 't3blbkfj'],
  ),
  form('anthropic-key', 'An API key of Anthropic', '\\b(sk-ant-[a-z]+\\d{2}-[\\w-]{80,120})', ['sk-ant-']),
  form('huggingface-token', 'A token of Hugging Face', '\\b(hf_[A-Za-z]{34}|api_org_[A-Za-z]{34})\\b', [
    'hf_',
    'api_org_',
  ]),
  form('groq-key', 'An API key of Groq', '\\b(gsk_[A-Za-z0-9]{48,60})\\b', ['gsk_']),
  form('perplexity-key', 'An API key of Perplexity', '\\b(pplx-[A-Za-z0-9]{40,60})\\b', ['pplx-']),
  form('replicate-token', 'A token of Replicate', '\\b(r8_[A-Za-z0-9]{37})\\b', ['r8_']),
  form('npm-token', 'A token of the npm registry', '\\b(npm_[A-Za-z0-9]{36})\\b', ['npm_']),
  form('pypi-token', 'An upload token of PyPI', '\\b(pypi-AgEIcHlwaS5vcmc[\\w-]{50,1000})', [
    'pypi-ageichlwas5vcmc',
  ]),
  form('rubygems-token', 'A token of RubyGems', '\\b(rubygems_[a-f0-9]{48})\\b', ['rubygems_']),
  form('docker-token', 'A token of Docker Hub', '\\b(dckr_[op]at_[\\w-]{27,40})', ['dckr_']),
  form('sendgrid-key', 'An API key of SendGrid', '\\b(SG\\.[\\w-]{22}\\.[\\w-]{43})', ['sg.']),
  form('twilio-key', 'An API key of Twilio', '\\b(SK[0-9a-f]{32})\\b', ['sk']),
  form('mailgun-key', 'An API key of Mailgun', '\\b(key-[0-9a-f]{32})\\b', ['key-']),
  form('mailchimp-key', 'An API key of Mailchimp', '\\b([0-9a-f]{32}-us\\d{1,2})\\b', ['-us']),
  form('postman-key', 'An API key of Postman', '\\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\\b', ['pmak-']),
  form('digitalocean-token', 'A token of DigitalOcean', '\\b(do[opr]_v1_[a-f0-9]{64})\\b', [
    'doo_v1_',
    'dop_v1_',
    'dor_v1_',
  ]),
  form('databricks-token', 'A token of Databricks', '\\b(dapi[a-f0-9]{32}(?:-\\d)?)\\b', ['dapi']),
  form('doppler-token', 'A token of Doppler', '\\b(dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{40,60})', [
    'dp.pt.',
    'dp.st.',
    'dp.ct.',
    'dp.sa.',
  ]),
  form('vault-token', 'A token of HashiCorp Vault', '\\b(hv[bs]\\.[\\w-]{80,300})', ['hvs.', 'hvb.']),
  form('terraform-token', 'A token of Terraform Cloud', '\\b([A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70})', [
    '.atlasv1.',
  ]),
  form(
    'grafana-token',
    'A token of Grafana',
    '\\b(glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})',
    ['glsa_', 'glc_'],
  ),
  form('new-relic-key', 'A user key of New Relic', '\\b(NRAK-[A-Z0-9]{27})\\b', ['nrak-']),
  form('sentry-token', 'A token of Sentry', '\\b(sntry[su]_[\\w+/=-]{40,400})', ['sntrys_', 'sntryu_']),
  form('linear-key', 'An API key of Linear', '\\b(lin_api_[A-Za-z0-9]{40})\\b', ['lin_api_']),
  form('notion-token', 'A token of Notion', '\\b(ntn_[A-Za-z0-9]{40,60})\\b', ['ntn_']),
  form('figma-token', 'A token of Figma', '\\b(figd_[\\w-]{38,50})', ['figd_']),
  form('planetscale-token', 'A token of PlanetScale', '\\b(pscale_(?:tkn|pw|oauth)_[\\w.-]{32,64})', [
    'pscale_',
  ]),
  form('supabase-token', 'A token of Supabase', '\\b(sbp_[a-f0-9]{40}|sb_secret_[\\w-]{30,60})\\b', [
    'sbp_',
    'sb_secret_',
  ]),
  form('pulumi-token', 'A token of Pulumi', '\\b(pul-[a-f0-9]{40})\\b', ['pul-']),
  form('airtable-token', 'A token of Airtable', '\\b(pat[A-Za-z0-9]{14}\\.[a-f0-9]{64})\\b', ['pat']),
  form('age-key', 'A secret key of age', '\\b(AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})\\b', [
    'age-secret-key-1',
  ]),
  form(
    'webhook-secret',
    'A signing secret of webhooks',
    '\\b(whsec_[A-Za-z0-9+/]{32,100}={0,2})',
    ['whsec_'],
    3.5,
  ),
  form('marketplace-key', 'An API key of this marketplace', '\\b(amk_live_[A-Za-z0-9]{36})\\b', [
    'amk_live_',
  ]),
];

/** Forms of no single issuer. */
const FORMS: SecretRule[] = [
  {
    id: 'private-key',
    description: 'A private key',
    regex: '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----([A-Za-z0-9+/=:,\\s\\\\".-]{64,})',
    keywords: ['private key'],
    entropy: 3.5,
  },
  form('jwt', 'A signed token (JWT)', '\\b(eyJ[\\w-]{15,}\\.eyJ[\\w-]{15,}\\.[\\w-]{20,})', ['eyj'], 4),
  {
    id: 'aws-secret-key',
    description: 'A secret key of Amazon Web Services',
    regex:
      '(?i)aws[\\w .-]{0,30}(?:secret|key)[\\w .-]{0,20}[\'"]?\\s{0,3}[=:]{1,2}\\s{0,3}[\'"]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)',
    keywords: ['aws'],
    entropy: 4,
  },
  {
    id: 'password-in-address',
    description: 'A password in the address of a server',
    regex:
      '(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^\\s:/@\'"`<>{}$]{1,64}:([^\\s:/@\'"`<>{}$]{8,128})@[a-z0-9.-]{3,128}',
    keywords: ['://'],
    entropy: 3,
    stopwords: ['password', 'localhost', 'passwd'],
  },
  {
    id: 'generic-secret',
    description: 'A value that looks random, given to a name of secrets',
    regex:
      '(?i)(?:api[_.-]?key|secret|token|passw(?:or)?d|passphrase|credential|access[_.-]?key|private[_.-]?key|auth[_.-]?key)[\\w.-]{0,20}[\'"]?\\]?\\s{0,3}(?:=|:|=>|:=|\\|\\|)\\s{0,3}[\'"`]([\\w+/=.~!@#%^&*-]{16,150})[\'"`]',
    keywords: ['key', 'secret', 'token', 'passw', 'passphrase', 'credential'],
    entropy: 3.7,
    allow: [
      // Names and phrases: no digit at all, or words joined by one sign.
      { target: 'secret', regex: '^[^0-9]+$' },
      { target: 'secret', regex: '^[a-z]+(?:[-_./][a-z0-9]+)+$' },
    ],
  },
];

export const SECRET_RULES: readonly SecretRule[] = [...MARKED, ...FORMS];

/** Rules that guess from names; what another rule finds in the same place is told instead. */
export const GENERIC_RULES: ReadonlySet<string> = new Set(['generic-secret', 'generic-api-key']);

/** Values that stand for secrets, in documents and templates. */
export const PLACEHOLDERS: readonly string[] = [
  'example',
  'sample',
  'placeholder',
  'changeme',
  'change-me',
  'change_me',
  'your-',
  'your_',
  'yourkey',
  'xxxx',
  '****',
  '....',
  '1234567890',
  '0123456789',
  'abcdefgh',
  'dummy',
  'redacted',
  'replace',
  'insert',
  'todo',
  'process.env',
  'os.environ',
  'getenv',
  '${',
  '{{',
  '<',
  'not-a-secret',
  'fake',
];
