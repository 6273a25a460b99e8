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
  /**
   * Patterns that exclude a match, over the secret, the match, the line or the path; with `paths`, only in files of
   * which one of them matches the path.
   */
  allow?: { target: 'secret' | 'match' | 'line' | 'path'; regex: string; paths?: string[] }[];
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

/** Keys that begin with a prefix of their issuer, followed by letters and digits. */
const prefixed = (id: string, what: string, prefix: string, rest: string, entropy = 3): SecretRule =>
  form(
    id,
    what,
    `(?:^|[^A-Za-z0-9_])(${prefix.replaceAll('.', '\\.')}${rest})(?:[^A-Za-z0-9_]|$)`,
    [prefix.toLowerCase()],
    entropy,
  );

/** Keys of services that agents call: models, search, speech, vector stores, traces. */
const AGENT_SERVICES: SecretRule[] = [
  prefixed('openrouter-key', 'OpenRouter API key', 'sk-or-v1-', '[0-9a-f]{64}'),
  prefixed('xai-key', 'xAI API key', 'xai-', '[A-Za-z0-9]{64,90}'),
  prefixed('groq-key', 'Groq API key', 'gsk_', '[A-Za-z0-9]{48,60}'),
  prefixed('replicate-token', 'Replicate token', 'r8_', '[A-Za-z0-9]{37}'),
  prefixed('nvidia-key', 'NVIDIA API key', 'nvapi-', '[\\w-]{60,70}'),
  prefixed('fireworks-key', 'Fireworks API key', 'fw_', '[A-Za-z0-9]{20,30}', 3.5),
  prefixed('anyscale-key', 'Anyscale API key', 'esecret_', '[a-z0-9]{26,40}'),
  prefixed('jina-key', 'Jina API key', 'jina_', '[0-9a-f]{32}[\\w-]{20,40}'),
  prefixed('voyage-key', 'Voyage API key', 'pa-', '[\\w-]{43}', 4),
  prefixed('cerebras-key', 'Cerebras API key', 'csk-', '[a-z0-9]{40,60}'),
  prefixed('tavily-key', 'Tavily API key', 'tvly-', '(?:dev-|prod-)?[A-Za-z0-9]{28,40}'),
  prefixed('firecrawl-key', 'Firecrawl API key', 'fc-', '[0-9a-f]{32}'),
  prefixed('pinecone-key', 'Pinecone API key', 'pcsk_', '[A-Za-z0-9]{5,10}_[A-Za-z0-9]{50,70}'),
  prefixed('langsmith-key', 'LangSmith API key', 'lsv2_', '(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}'),
  prefixed(
    'langfuse-key',
    'Langfuse secret key',
    'sk-lf-',
    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  ),
  prefixed('e2b-key', 'E2B API key', 'e2b_', '[0-9a-f]{40}'),
  prefixed('helicone-key', 'Helicone API key', 'sk-helicone-', '[a-z0-9-]{24,60}'),
  prefixed('composio-key', 'Composio API key', 'ak_', '[A-Za-z0-9_-]{18,24}', 3.8),
  prefixed('elevenlabs-key', 'ElevenLabs API key', 'sk_', '[0-9a-f]{48}'),
  prefixed('deepseek-key', 'API key of the form sk-', 'sk-', '[0-9a-f]{32}'),
  prefixed('moonshot-key', 'API key of the form sk-', 'sk-', '[A-Za-z0-9]{48}', 4),
  prefixed('hugging-face-token', 'Hugging Face token', 'hf_', '[A-Za-z]{30,40}', 3.5),
  form('gemini-key', 'Google API key', '\\b(AIza[\\w-]{35})(?:[^\\w-]|$)', ['aiza'], 3.5),
  form(
    'openai-key',
    'OpenAI API key',
    '\\b(sk-(?:(?:proj|svcacct|admin|None)-[\\w-]{40,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}))',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-none-', 't3blbkfj'],
  ),
  form('anthropic-key', 'Anthropic API key', '\\b(sk-ant-[a-z]+\\d{2}-[\\w-]{80,120})', ['sk-ant-']),
];

/** Tokens with a prefix of their issuer. */
const MARKED: SecretRule[] = [
  form('gcp-oauth-secret', 'Google OAuth client secret', '\\b(GOCSPX-[\\w-]{28})', ['gocspx-']),
  form('azure-storage-key', 'Azure Storage account key', 'AccountKey=([A-Za-z0-9+/]{86}==)', ['accountkey=']),
  form(
    'azure-shared-key',
    'Azure shared access key',
    'SharedAccessKey=([A-Za-z0-9+/]{40,50}={0,2})',
    ['sharedaccesskey='],
    3.5,
  ),
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
  form(
    'discord-bot-token',
    'Discord bot token',
    '(?:^|[^\\w.-])([MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38})(?:[^\\w.-]|$)',
    ['discord', 'bot', 'login', 'token'],
    4,
  ),
  form('telegram-bot-token', 'Telegram bot token', '\\b(\\d{8,10}:AA[\\w-]{33})(?:[^\\w-]|$)', [':aa']),
  form(
    'square-token',
    'Square access token',
    '\\b((?:EAAA|sq0(?:atp|csp)-)[\\w-]{22,60})',
    ['eaaa', 'sq0atp-', 'sq0csp-'],
    3.5,
  ),
  form('stripe-webhook', 'Webhook signing secret', '\\b(whsec_[A-Za-z0-9+/]{32,100}={0,2})', ['whsec_'], 3.5),
  form(
    'razorpay-key',
    'Razorpay live key',
    '\\b(rzp_live_[A-Za-z0-9]{14,24})(?:[^A-Za-z0-9]|$)',
    ['rzp_live_'],
    3,
  ),
  form('docker-token', 'Docker Hub token', '\\b(dckr_[op]at_[\\w-]{27,40})', ['dckr_']),
  form('mailgun-key', 'Mailgun API key', '\\b(key-[0-9a-f]{32})\\b', ['key-']),
  form('mailchimp-key', 'Mailchimp API key', '\\b([0-9a-f]{32}-us\\d{1,2})\\b', ['-us']),
  form('resend-key', 'Resend API key', '\\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{22,26})(?:[^\\w]|$)', ['re_'], 3.5),
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
  form('tailscale-key', 'Tailscale key', '\\b(tskey-[a-z]+-[A-Za-z0-9]{10,24}-[A-Za-z0-9]{20,40})\\b', [
    'tskey-',
  ]),
  form('neon-key', 'Neon API key', '\\b(napi_[a-z0-9]{60,70})\\b', ['napi_']),
  form('render-key', 'Render API key', '\\b(rnd_[A-Za-z0-9]{28,40})\\b', ['rnd_'], 3.5),
  form('vercel-token', 'Vercel token', '\\b(vc[pkair]_[A-Za-z0-9]{48,60})\\b', [
    'vcp_',
    'vck_',
    'vca_',
    'vci_',
    'vcr_',
  ]),
  form('posthog-key', 'PostHog personal API key', '\\b(phx_[A-Za-z0-9]{40,60})\\b', ['phx_']),
  form(
    'notion-token',
    'Notion token',
    '\\b(ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})\\b',
    ['ntn_', 'secret_'],
    4,
  ),
  form('crates-token', 'crates.io token', '\\b(cio[A-Za-z0-9]{32})\\b', ['cio'], 4),
  form('nuget-key', 'NuGet API key', '\\b(oy2[a-z0-9]{43})\\b', ['oy2'], 3.5),
  form('contentful-token', 'Contentful token', '\\b(CFPAT-[\\w-]{43})', ['cfpat-']),
  form(
    'calendly-token',
    'Zapier webhook URL',
    '(hooks\\.zapier\\.com/hooks/catch/\\d+/[a-z0-9]{5,10})',
    ['hooks.zapier.com'],
    2,
  ),
  form('slack-token', 'Slack token', '\\b(xox[abeprs](?:\\.xox[abp])?-[A-Za-z0-9-]{24,250})', ['xox'], 3),
  form(
    'npmrc-token',
    'Token of a package registry',
    ':_(?:authToken|auth|password)\\s*=\\s*["\']?([\\w+/=.-]{16,200})',
    ['_auth', '_password'],
    3,
  ),
  form('marketplace-key', 'API key of this marketplace', '\\b(amk_live_[A-Za-z0-9]{36})\\b', ['amk_live_']),
];

const VALUE_END = '(?:["\'`\\s,;)}\\]]|\\\\[nr"]|$)';

/** Secrets without a distinctive prefix. */
const FORMS: SecretRule[] = [
  {
    id: 'aws-secret-key',
    description: 'AWS secret access key',
    regex:
      '(?i)aws[\\w .-]{0,30}(?:secret|key)[\\w .-]{0,20}[\'"]?\\s{0,3}(?:[=:]{1,2}|=>|,)\\s{0,3}[\'"]?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)',
    keywords: ['aws'],
    entropy: 4,
  },
  {
    id: 'aws-secret-option',
    description: 'AWS secret access key',
    regex: '\\bsecretAccessKey["\']?\\s{0,3}[=:]\\s{0,3}["\'`]([A-Za-z0-9/+]{40})["\'`]',
    keywords: ['secretaccesskey'],
    entropy: 4,
  },
  {
    id: 'password-in-address',
    description: 'Password in a server URL',
    regex:
      '(?i)\\b[a-z][a-z0-9+.-]{1,20}://[^\\s:/@\'"`<>{}$]{0,64}:([^\\s:/@\'"`<>{}$]{8,128})@[a-z0-9.-]{3,128}',
    keywords: ['://'],
    entropy: 2.5,
    stopwords: ['password', 'localhost', 'passwd'],
  },
  {
    id: 'password-in-connection-string',
    description: 'Password in a connection string',
    regex:
      '(?i)\\b(?:server|data source|host|addr(?:ess)?)\\s*=[^"\'`\\n]{3,120};[^"\'`\\n]{0,120}\\b(?:password|pwd)\\s*=\\s*([^;"\'`\\s]{8,128})',
    keywords: ['password=', 'pwd=', 'password ='],
    entropy: 2.8,
  },
  {
    id: 'netrc-password',
    description: 'Password of a .netrc file',
    regex: '\\bmachine\\s+\\S+\\s+login\\s+\\S+\\s+password\\s+(\\S{8,128})',
    keywords: ['machine'],
    entropy: 2.8,
  },
  {
    id: 'pgpass-password',
    description: 'Password of a .pgpass file',
    regex: '(?m)^[\\w.-]+:(?:\\d+|\\*):[\\w*-]+:[\\w*-]+:(\\S{8,128})$',
    keywords: [':'],
    path: '(?:^|/)\\.?pgpass(?:\\.conf)?$',
    entropy: 2.5,
  },
  {
    id: 'docker-registry-login',
    description: 'Login of a container registry',
    regex: '"auth"\\s*:\\s*"([A-Za-z0-9+/]{16,}={0,2})"',
    keywords: ['"auths"'],
    entropy: 3,
  },
];

/** Heuristics by the name of a value; what the name says decides, so they weigh least. */
const GUESSES: SecretRule[] = [
  {
    id: 'named-password',
    description: 'named-password',
    regex:
      '(?i)(?:^|[^a-z])((?:[\\w.-]{0,40}[_.-])?(?:password|passwd|passphrase|pwd|pass|secret|secret[_-]?key))["\'\\]]{0,2}\\s{0,3}(?:=|:|=>|,)\\s{0,3}["\'`]([^\\s"\'`<>{}$%\\\\]{8,80})["\'`]',
    keywords: ['pass', 'pwd', 'secret'],
    secretGroup: 2,
    entropy: 2.8,
    isGuess: true,
  },
  {
    id: 'environment-secret',
    description: 'environment-secret',
    regex: `(?m)^\\s*(?:export\\s+|ENV\\s+|ARG\\s+|-\\s+)?[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|DSN|SALT)\\s?[=:]\\s?["']?([^\\s"'<>{}$%]{12,200})${VALUE_END}`,
    keywords: ['key', 'token', 'secret', 'pass', 'pwd', 'credential', 'auth', 'dsn', 'salt'],
    entropy: 3.2,
    isGuess: true,
  },
];

export const OWN_RULES: readonly SecretRule[] = [...AGENT_SERVICES, ...MARKED, ...FORMS, ...GUESSES];

/** Placeholders for secrets, as used in documents and templates. */
export const PLACEHOLDERS: readonly string[] = [
  'example', 'sample', 'placeholder', 'changeme', 'change-me', 'change_me', 'changeit', 'your-', 'your_', 'yourkey',
  'your', 'xxxx', '****', '....', '1234567890', '0123456789', '123456789', 'abcdefgh', 'dummy',
  'redacted', 'replace', 'insert', 'todo', 'process.env', 'os.environ', 'getenv', 'import.meta', 'env.', 'config.',
  'settings.', 'secrets.', '${', '{{', '<', 'not-a-secret', 'not_a_', 'fake', 'test', 'mock', 'demo', 'foobar',
  'foo_', 'deadbeef', 'qwerty', 'asdf', 'lorem', 'secret-here', 'goes-here', 'goes_here', 'goeshere', 'removed',
  'masked', 'hidden', 'notreal', 'not-real', 'not_real', 'invalid', 'null', 'undefined', 'correct-horse', 'hunter2',
]; // prettier-ignore
