import type { FactSeverity } from '../../domain/evidence/evidence-facts';

/**
 * Calls that reviewers of agents inspect first, by language. Every pattern runs on the linear-time engine. A match
 * means that the call occurs, not that it is wrong.
 */
export interface DangerousCall {
  id: string;
  description: string;
  severity: FactSeverity;
  files: RegExp;
  regex: string;
  /** Lower-case keywords; the rule runs only on lines that contain one of them. */
  keywords: string[];
}

const JS = /\.[cm]?[jt]sx?$/i;
const PY = /\.py$/i;
const ANY = /./;

export const DANGEROUS_CALLS: readonly DangerousCall[] = [
  {
    id: 'js-eval',
    description: 'Runs text as code',
    severity: 'medium',
    files: JS,
    regex: '(?:^|[^\\w.$])(?:eval\\s*\\(|new\\s+Function\\s*\\()',
    keywords: ['eval', 'function'],
  },
  {
    id: 'js-vm',
    description: 'Runs text as code in a node:vm context, which is not a security boundary',
    severity: 'medium',
    files: JS,
    regex: '\\bvm\\.(?:runIn\\w+|compileFunction)\\s*\\(|\\bnew\\s+vm\\.Script\\b',
    keywords: ['vm.'],
  },
  {
    id: 'js-shell',
    description: 'Passes a command with interpolated text to a shell',
    severity: 'high',
    files: JS,
    regex:
      '(?:^|[^\\w.$]|child_process\\.|cp\\.)exec(?:Sync)?\\s*\\(\\s*(?:`[^`]*\\$\\{|[\'"][^\'"]*[\'"]\\s*\\+)',
    keywords: ['exec'],
  },
  {
    id: 'py-eval',
    description: 'Runs text as code',
    severity: 'medium',
    files: PY,
    regex: '(?:^|[^\\w.])(?:eval|exec)\\s*\\(',
    keywords: ['eval', 'exec'],
  },
  {
    id: 'py-shell',
    description: 'Passes a command to a shell',
    severity: 'high',
    files: PY,
    regex: '\\bos\\.(?:system|popen)\\s*\\(|\\bshell\\s*=\\s*True\\b',
    keywords: ['os.system', 'os.popen', 'shell'],
  },
  {
    id: 'py-pickle',
    description: 'Deserializes a format that can run code',
    severity: 'medium',
    files: PY,
    regex: '\\b(?:pickle|cPickle|dill|marshal|shelve)\\.loads?\\s*\\(',
    keywords: ['pickle', 'dill', 'marshal', 'shelve'],
  },
  {
    id: 'py-yaml',
    description: 'Loads YAML with a loader that can run code',
    severity: 'medium',
    files: PY,
    regex:
      '\\byaml\\.(?:unsafe_load|full_load)\\s*\\(|\\byaml\\.load\\s*\\([^)]*Loader\\s*=\\s*(?:yaml\\.)?(?:Unsafe|Full)?Loader',
    keywords: ['yaml.'],
  },
  {
    id: 'tls-unchecked',
    description: 'Disables certificate validation',
    severity: 'high',
    files: ANY,
    regex:
      '\\brejectUnauthorized[\'"]?\\s*:\\s*false|NODE_TLS_REJECT_UNAUTHORIZED[\'"\\]]*\\s*[=:]\\s*[\'"]?0|\\bverify\\s*=\\s*False\\b|\\bInsecureSkipVerify\\s*:\\s*true|_create_unverified_context',
    keywords: ['rejectunauthorized', 'tls_reject', 'verify', '_create_unverified_context'],
  },
  {
    id: 'decoded-code',
    description: 'Runs code that is hidden by an encoding',
    severity: 'critical',
    files: ANY,
    regex:
      '\\b(?:eval|exec|Function)\\s*\\(\\s*(?:\\w+\\.)*(?:atob|b64decode|fromhex|decompress|unhexlify|Buffer\\.from)\\s*\\(',
    keywords: ['atob', 'b64decode', 'fromhex', 'decompress', 'unhexlify', 'buffer.from'],
  },
  {
    id: 'js-input-eval',
    description: 'Runs text as code that may come from a caller',
    severity: 'high',
    files: JS,
    regex:
      '(?:^|[^\\w.$])(?:eval|new\\s+Function|execSync)\\s*\\(\\s*(?:req(?:uest)?|ctx|input|body|query|event|payload|message|prompt)\\b',
    keywords: ['eval', 'function', 'execsync'],
  },
  {
    id: 'py-input-eval',
    description: 'Runs text as code that may come from a caller',
    severity: 'high',
    files: PY,
    regex:
      '(?:^|[^\\w.])(?:eval|exec)\\s*\\(\\s*(?:request|input|body|params|data|payload|event|message|prompt|user_input|code|expr(?:ession)?|args)\\b',
    keywords: ['eval', 'exec'],
  },
  {
    id: 'piped-install',
    description: 'Downloads a program and runs it directly',
    severity: 'high',
    files: ANY,
    regex: '\\b(?:curl|wget)\\b[^|\\n]{0,300}\\|\\s*(?:sudo\\s+)?(?:ba|z|da)?sh\\b',
    keywords: ['curl', 'wget'],
  },
];
