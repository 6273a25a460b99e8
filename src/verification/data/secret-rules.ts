/** All own rules for secrets: those of issuers, secrets without a prefix, and heuristics by names. */
import { CONTEXT_RULES } from './context-rules';
import { ISSUER_RULES } from './issuer-rules';
import type { SecretRule } from './secret-rule';

const VALUE_END = '(?:["\'`\\s,;)}\\]]|\\\\[nr"]|$)';

/** Secrets without a distinctive prefix. */
const FORMS: readonly SecretRule[] = [
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
    regex: '\\bmachine\\s+\\S+\\s+login\\s+\\S+\\s+password\\s+([^\\s{}$<>"\'`]{8,128})',
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
  {
    id: 'basic-authorization',
    description: 'Name and password of an Authorization header',
    regex: '(?i)\\bBasic\\s+([A-Za-z0-9+/]{16,200}={0,2})(?:["\'`\\s]|$)',
    keywords: ['basic'],
    entropy: 3.2,
    isGuess: true,
    isInText: true,
  },
  {
    id: 'login-password',
    description: 'Password of a login in code',
    regex:
      '\\b(?:login|authenticate|NetworkCredential|signIn\\w*)\\s*\\(\\s*["\'][^"\'\\n]{2,80}["\']\\s*,\\s*["\']([^\\s"\'<>{}$%]{8,80})["\']',
    keywords: ['login', 'authenticate', 'networkcredential', 'signin'],
    entropy: 3,
    isGuess: true,
  },
  {
    id: 'signing-key',
    description: 'Key that signs tokens',
    regex:
      '\\bjwt\\.(?:sign|verify|encode|decode)\\s*\\(\\s*[^,"\'`\\n]{1,80},\\s*["\'`]([^\\s"\'`<>{}$%]{16,200})["\'`]',
    keywords: ['jwt.'],
    entropy: 3,
    isGuess: true,
  },
  {
    id: 'key-in-address',
    description: 'Key in the query of an address',
    regex:
      '(?i)https?://[^\\s"\'`<>]{4,200}[?&](?:appid|api_?key|apikey|access_?key|(?:access|auth|refresh|private)_?token|token|key|(?:client_?)?secret|subscription-key|code)=([A-Za-z0-9_-]{24,400})(?:[&"\'`\\s]|$)',
    keywords: ['appid=', 'key=', 'token=', 'secret=', 'code='],
    entropy: 3.3,
    isGuess: true,
    isInText: true,
  },
  {
    id: 'client-key',
    description: 'Key that a client is made with',
    regex:
      '(?i)\\b(?:create_?client|\\w{0,40}client(?:v\\d)?|algoliasearch|authenticate)\\s*\\(\\s*(?:["\'][\\w:./-]{4,120}["\']\\s*,\\s*)?["\']([A-Za-z0-9]{32,64})["\']\\s*[,)]',
    keywords: ['client', 'algoliasearch', 'authenticate'],
    entropy: 3.3,
    isGuess: true,
  },
  {
    id: 'terraform-default',
    description: 'Default of a secret variable',
    regex:
      '(?i)variable\\s+"[\\w-]*(?:token|secret|password|api_?key|access_?key)[\\w-]*"\\s*\\{[^}]{0,300}default\\s*=\\s*"([^"\\s$<>{}]{12,200})"',
    keywords: ['variable'],
    entropy: 3,
    isGuess: true,
  },
  {
    id: 'bearer-authorization',
    description: 'Token of an Authorization header',
    regex:
      '(?i)\\bauthorization["\'`\\])]{0,3}\\s{0,3}[:=,]\\s{0,3}["\'`]?(?:bearer|token)\\s{1,3}([A-Za-z0-9._~+/-]{20,1000}={0,2})',
    keywords: ['authorization'],
    entropy: 3.5,
    isGuess: true,
    isInText: true,
  },
  {
    id: 'password-option',
    description: 'Password in the options of a command',
    regex:
      '(?i)[ \\t]--?(?:password|passwd|pass|pwd|api-?key|(?:auth-?|access-?)?token|client-?secret|secret)(?:[ \\t]|=)[ \\t]{0,2}["\']?([^\\s"\'`<>{}$%;|&-][^\\s"\'`<>{}$%;|&]{7,128})(?:["\'\\s;|&]|$)',
    keywords: ['-p', '-api', '-token', '-auth', '-access', '-client', '-secret'],
    entropy: 2.7,
    isGuess: true,
    isInText: true,
  },
  {
    id: 'setting-of-a-secret',
    description: 'Secret in an entry of settings',
    regex:
      '(?i)\\b(?:key|name|property|id)\\s?=\\s?"[\\w.:-]{0,60}(?:password|pwd|secret|token|api_?key|access_?key)"\\s{1,4}value\\s?=\\s?"([^\\s"<>{}$%]{8,300})"',
    keywords: ['value="', 'value ='],
    entropy: 2.8,
    isGuess: true,
  },
  {
    id: 'element-of-a-secret',
    description: 'Secret in a named element',
    regex:
      '(?i)\\bname\\s?=\\s?"[\\w.:-]{0,60}(?:password|pwd|secret|token|api_?key|access_?key|_key)"[^>\\n]{0,60}>\\s{0,20}([^\\s"<>{}$%]{12,300})\\s{0,20}</',
    keywords: ['name="', 'name ='],
    entropy: 3,
    isGuess: true,
  },
  {
    id: 'property-secret',
    description: 'Secret in a line of settings',
    regex:
      '(?im)^[ \\t]{0,16}[\\w.-]{0,60}(?:password|passwd|passphrase|pwd|secret|(?:^|[_.-])token|api[_-]?key|(?:access|private|secret|auth)[_-]?key|_auth)\\s?[=:]\\s?([^\\s"\'`<>{}()\\[\\]$%,;\\\\]{12,200})[ \\t]*\\r?$',
    keywords: ['passw', 'passphrase', 'pwd', 'secret', 'token', 'key', '_auth'],
    entropy: 3.2,
    isGuess: true,
  },
  {
    id: 'django-key',
    description: 'Key that signs sessions of Django',
    regex: '\\bSECRET_KEY\\s{0,3}=\\s{0,3}r?["\']([^"\'\\s]{40,120})["\']',
    keywords: ['secret_key'],
    entropy: 4,
    isGuess: true,
  },
  {
    id: 'long-token',
    description: 'Long random value beside the name of a token',
    regex:
      '(?i)(?:token|secret|api_?key|access_?key|credential)["\'\\]]{0,2}\\s{0,3}(?:=|:|=>|,)\\s{0,3}["\'`]?([A-Za-z0-9][\\w.+/=~-]{149,1000})(?:["\'`\\s,;]|$)',
    keywords: ['token', 'secret', 'apikey', 'api_key', 'accesskey', 'access_key', 'credential'],
    entropy: 4.5,
    isGuess: true,
  },
  {
    id: 'rails-key',
    description: 'Key of Rails credentials',
    regex: '^\\s*([0-9a-f]{32})\\s*$',
    keywords: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    path: '(?:^|/)(?:master|credentials/\\w+)\\.key$',
    entropy: 3,
  },
];

/** Heuristics by the name of a value; what the name says decides, so they weigh least. */
const GUESSES: readonly SecretRule[] = [
  {
    id: 'named-password',
    description: 'named-password',
    regex:
      '(?i)(?:^|[^a-z])((?:[\\w.-]{0,40}[_.-])?(?:password|passwd|passphrase|pwd|pass|secret|secret[_-]?key)|[\\w.-]{1,40}(?-i:Password|Passphrase|Secret|SecretKey))["\'\\]]{0,2}\\s{0,3}(?:=|:|=>|,)\\s{0,3}[@brufBRUF]{0,2}["\'`]([^\\s"\'`<>{}$%\\\\]{8,80})["\'`]',
    keywords: ['pass', 'pwd', 'secret'],
    secretGroup: 2,
    entropy: 2.8,
    isGuess: true,
  },
  {
    id: 'environment-secret',
    description: 'environment-secret',
    regex: `(?m)^(?:#\\s?|\\s*)(?:export\\s+|ENV\\s+|ARG\\s+|-\\s+)?[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|DSN|SALT)\\s?[=:]\\s?["']?([^\\s"'<>{}$%]{12,200})${VALUE_END}`,
    keywords: ['key', 'token', 'secret', 'pass', 'pwd', 'credential', 'auth', 'dsn', 'salt'],
    entropy: 3.2,
    isGuess: true,
  },
];

export const OWN_RULES: readonly SecretRule[] = [...ISSUER_RULES, ...FORMS, ...CONTEXT_RULES, ...GUESSES];

/** Placeholders for secrets, as used in documents and templates. */
export const PLACEHOLDERS: readonly string[] = [
  'example', 'sample', 'placeholder', 'changeme', 'change-me', 'change_me', 'changeit', 'your-', 'your_', 'yourkey',
  'your', 'xxxx', '****', '....', '1234567890', '0123456789', '123456789', 'abcdefgh', 'dummy',
  'redacted', 'replace', 'insert', 'todo', 'process.env', 'os.environ', 'getenv', 'import.meta', 'env.', 'config.',
  'settings.', 'secrets.', '${', '{{', '<', 'not-a-secret', 'not_a_', 'fake', 'test', 'mock', 'demo', 'foobar',
  'foo_', 'deadbeef', 'qwerty', 'asdf', 'lorem', 'secret-here', 'goes-here', 'goes_here', 'goeshere', 'removed',
  'masked', 'hidden', 'notreal', 'not-real', 'not_real', 'invalid', 'null', 'undefined', 'correct-horse', 'hunter2',
]; // prettier-ignore
