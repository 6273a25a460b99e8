/**
 * Secret rules for cases that the rules of gitleaks (gitleaks/gitleaks.toml) do not cover, or in which they require
 * the issuer's name beside a value that is recognizable by itself. Patterns are RE2, keywords are lower case; a rule
 * runs only near one of its keywords.
 */
export interface SecretRule {
  id: string;
  description: string;
  regex: string;
  keywords: string[];
  /** Minimum Shannon entropy of the secret, in bits per character. */
  entropy?: number;
  /** Capture group with the secret; default: the first group that matched, or the whole match. */
  secretGroup?: number;
  /** Restricts the rule to files whose path matches. */
  path?: string;
  /** Patterns that exclude a match, over the secret, the match, the line or the path. */
  allow?: { target: 'secret' | 'match' | 'line' | 'path'; regex: string }[];
  stopwords?: string[];
  /**
   * Heuristic rule that relies on the names around a value. A match of another rule in the same place takes
   * precedence.
   */
  isGuess?: boolean;
}

const form = (id: string, what: string, regex: string, keywords: string[], entropy = 3): SecretRule => ({
  id,
  description: what,
  regex,
  keywords,
  entropy,
});

/** Tokens with a prefix of their issuer. */
const MARKED: SecretRule[] = [
  form('gcp-oauth-secret', 'Google OAuth client secret', '\\b(GOCSPX-[\\w-]{28})', ['gocspx-']),
  form('azure-storage-key', 'Azure Storage account key', 'AccountKey=([A-Za-z0-9+/]{86}==)', ['accountkey=']),
  form('gitlab-token', 'GitLab token', '\\b(gl(?:pat|ptt|dt|rt|soat|cbt|ft)-[\\w.-]{20,60})', [
    'glpat-',
    'glptt-',
    'gldt-',
    'glrt-',
    'glsoat-',
    'glcbt-',
    'glft-',
  ]),
  form('atlassian-token', 'Atlassian API token', '\\b(ATATT3[\\w=-]{100,250})', ['atatt3']),
  form(
    'discord-webhook',
    'Discord webhook URL',
    '(discord(?:app)?\\.com/api/webhooks/\\d{15,20}/[\\w-]{60,80})',
    ['/api/webhooks/'],
  ),
  form('telegram-bot-token', 'Telegram bot token', '\\b(\\d{8,10}:AA[\\w-]{33})(?:[^\\w-]|$)', [':aa']),
  form(
    'square-token',
    'Square access token',
    '\\b((?:EAAA|sq0(?:atp|csp)-)[\\w-]{22,60})',
    ['eaaa', 'sq0atp-', 'sq0csp-'],
    3.5,
  ),
  form(
    'openai-key',
    'OpenAI API key',
    '\\b(sk-(?:(?:proj|svcacct|admin)-[\\w-]{40,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}))',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 't3blbkfj'],
  ),
  form('anthropic-key', 'Anthropic API key', '\\b(sk-ant-[a-z]+\\d{2}-[\\w-]{80,120})', ['sk-ant-']),
  form('groq-key', 'Groq API key', '\\b(gsk_[A-Za-z0-9]{48,60})\\b', ['gsk_']),
  form('replicate-token', 'Replicate token', '\\b(r8_[A-Za-z0-9]{37})\\b', ['r8_']),
  form('docker-token', 'Docker Hub token', '\\b(dckr_[op]at_[\\w-]{27,40})', ['dckr_']),
  form('mailgun-key', 'Mailgun API key', '\\b(key-[0-9a-f]{32})\\b', ['key-']),
  form('mailchimp-key', 'Mailchimp API key', '\\b([0-9a-f]{32}-us\\d{1,2})\\b', ['-us']),
  form('doppler-token', 'Doppler token', '\\b(dp\\.(?:pt|st|ct|sa)\\.[\\w.-]{40,60})', [
    'dp.pt.',
    'dp.st.',
    'dp.ct.',
    'dp.sa.',
  ]),
  form('vault-token', 'HashiCorp Vault token', '\\b(hv[bs]\\.[\\w-]{80,300})', ['hvs.', 'hvb.']),
  form('new-relic-key', 'New Relic user key', '\\b(NRAK-[A-Z0-9]{27})\\b', ['nrak-']),
  form('sentry-token', 'Sentry token', '\\b(sntry[su]_[\\w+/=-]{40,400})', ['sntrys_', 'sntryu_']),
  form('figma-token', 'Figma token', '\\b(figd_[\\w-]{38,50})', ['figd_']),
  form('supabase-token', 'Supabase token', '\\b(sbp_[a-f0-9]{40}|sb_secret_[\\w-]{30,60})\\b', [
    'sbp_',
    'sb_secret_',
  ]),
  form('airtable-token', 'Airtable token', '\\b(pat[A-Za-z0-9]{14}\\.[a-f0-9]{64})\\b', ['pat']),
  form('webhook-secret', 'Webhook signing secret', '\\b(whsec_[A-Za-z0-9+/]{32,100}={0,2})', ['whsec_'], 3.5),
  form('marketplace-key', 'API key of this marketplace', '\\b(amk_live_[A-Za-z0-9]{36})\\b', ['amk_live_']),
];

/** Secrets without a distinctive prefix. */
const FORMS: SecretRule[] = [
  {
    id: 'aws-secret-key',
    description: 'AWS secret access key',
    regex:
      '(?i)aws[\\w .-]{0,30}(?:secret|key)[\\w .-]{0,20}[\'"]?\\s{0,3}[=:]{1,2}\\s{0,3}[\'"]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)',
    keywords: ['aws'],
    entropy: 4,
  },
  {
    id: 'password-in-address',
    description: 'Password in a server URL',
    regex:
      '(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^\\s:/@\'"`<>{}$]{1,64}:([^\\s:/@\'"`<>{}$]{8,128})@[a-z0-9.-]{3,128}',
    keywords: ['://'],
    entropy: 3,
    stopwords: ['password', 'localhost', 'passwd'],
  },
];

export const OWN_RULES: readonly SecretRule[] = [...MARKED, ...FORMS];

/** Placeholders for secrets, as used in documents and templates. */
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
