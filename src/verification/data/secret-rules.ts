/**
 * What secrets look like where the rules of gitleaks (gitleaks/gitleaks.toml) have nothing, or ask for the name of the
 * issuer beside a value that is marked anyway; in RE2's language. Keywords are in lower case: a rule is tried only near
 * one of them.
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
  /** Judges by the names around a value: what another rule finds in the same place is told instead. */
  isGuess?: boolean;
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
  form('gcp-oauth-secret', 'An OAuth client secret of Google', '\\b(GOCSPX-[\\w-]{28})', ['gocspx-']),
  form('azure-storage-key', 'An account key of Azure Storage', 'AccountKey=([A-Za-z0-9+/]{86}==)', [
    'accountkey=',
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
    'discord-webhook',
    'A webhook of Discord',
    '(discord(?:app)?\\.com/api/webhooks/\\d{15,20}/[\\w-]{60,80})',
    ['/api/webhooks/'],
  ),
  form('telegram-bot-token', 'A bot token of Telegram', '\\b(\\d{8,10}:AA[\\w-]{33})(?:[^\\w-]|$)', [':aa']),
  form(
    'square-token',
    'An access token of Square',
    '\\b((?:EAAA|sq0(?:atp|csp)-)[\\w-]{22,60})',
    ['eaaa', 'sq0atp-', 'sq0csp-'],
    3.5,
  ),
  form(
    'openai-key',
    'An API key of OpenAI',
    '\\b(sk-(?:(?:proj|svcacct|admin)-[\\w-]{40,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}))',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 't3blbkfj'],
  ),
  form('anthropic-key', 'An API key of Anthropic', '\\b(sk-ant-[a-z]+\\d{2}-[\\w-]{80,120})', ['sk-ant-']),
  form('groq-key', 'An API key of Groq', '\\b(gsk_[A-Za-z0-9]{48,60})\\b', ['gsk_']),
  form('replicate-token', 'A token of Replicate', '\\b(r8_[A-Za-z0-9]{37})\\b', ['r8_']),
  form('docker-token', 'A token of Docker Hub', '\\b(dckr_[op]at_[\\w-]{27,40})', ['dckr_']),
  form('mailgun-key', 'An API key of Mailgun', '\\b(key-[0-9a-f]{32})\\b', ['key-']),
  form('mailchimp-key', 'An API key of Mailchimp', '\\b([0-9a-f]{32}-us\\d{1,2})\\b', ['-us']),
  form('doppler-token', 'A token of Doppler', '\\b(dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{40,60})', [
    'dp.pt.',
    'dp.st.',
    'dp.ct.',
    'dp.sa.',
  ]),
  form('vault-token', 'A token of HashiCorp Vault', '\\b(hv[bs]\\.[\\w-]{80,300})', ['hvs.', 'hvb.']),
  form('new-relic-key', 'A user key of New Relic', '\\b(NRAK-[A-Z0-9]{27})\\b', ['nrak-']),
  form('sentry-token', 'A token of Sentry', '\\b(sntry[su]_[\\w+/=-]{40,400})', ['sntrys_', 'sntryu_']),
  form('figma-token', 'A token of Figma', '\\b(figd_[\\w-]{38,50})', ['figd_']),
  form('supabase-token', 'A token of Supabase', '\\b(sbp_[a-f0-9]{40}|sb_secret_[\\w-]{30,60})\\b', [
    'sbp_',
    'sb_secret_',
  ]),
  form('airtable-token', 'A token of Airtable', '\\b(pat[A-Za-z0-9]{14}\\.[a-f0-9]{64})\\b', ['pat']),
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
];

export const OWN_RULES: readonly SecretRule[] = [...MARKED, ...FORMS];

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
