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
  /** In files without this pattern the severity is `medium`: no caller of the agent is near the call. */
  graveIf?: string;
}

/** Code that answers callers: handlers of web frameworks, tools of agents. */
const ANSWERS_CALLERS =
  '(?:\\b(?:flask|fastapi|starlette|django\\.http|aiohttp\\.web|bottle|sanic|FastMCP|mcp\\.server|langchain\\w*\\.tools)\\b|@(?:app|router|mcp|server|tool|agent)\\b|BaseHTTPRequestHandler|\\b(?:createServer|express|fastify|Hono|Koa)\\s*\\(|\\.(?:post|get|all|use)\\s*\\(\\s*[\'"]/|\\breq(?:uest)?\\.(?:body|query|params|json|form|args)\\b|McpServer|\\bexport\\s+(?:default\\s+)?(?:async\\s+)?function\\s+(?:handler|invoke|answer|POST)\\b|def\\s+(?:handler|invoke|answer|lambda_handler)\\s*\\()';

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
    graveIf: ANSWERS_CALLERS,
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
    description: 'Passes a command that is put together to a shell',
    severity: 'high',
    files: PY,
    regex:
      '\\bos\\.(?:system|popen)\\s*\\(\\s*(?:f[\'"]|[\'"][^\'"\\n]*[\'"]\\s*[+%.]|[A-Za-z_])|\\b(?:Popen|run|call|check_call|check_output|getoutput)\\s*\\(\\s*(?:f[\'"]|[\'"][^\'"\\n]*[\'"]\\s*[+%.]|[A-Za-z_])[^()]{0,300}(?:\\([^()]{0,80}\\)[^()]{0,200})?\\bshell\\s*=\\s*True\\b',
    graveIf: ANSWERS_CALLERS,
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
      '\\brejectUnauthorized[\'"]?\\s*:\\s*false|NODE_TLS_REJECT_UNAUTHORIZED[\'"\\]]*\\s*[=:]\\s*[\'"]?0|(?:requests|httpx|aiohttp|[Ss]ession|[Cc]lient)\\b[^\\n]{0,200}\\bverify\\s*=\\s*False\\b|\\b(?:get|post|put|patch|delete|request|Client|AsyncClient|Session)\\s*\\([^()]{0,300}\\bverify\\s*=\\s*False\\b|\\.verify\\s*=\\s*False\\b|\\bInsecureSkipVerify\\s*:\\s*true|_create_unverified_context',
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
    graveIf: ANSWERS_CALLERS,
    keywords: ['eval', 'function', 'execsync'],
  },
  {
    id: 'py-input-eval',
    description: 'Runs text as code that may come from a caller',
    severity: 'high',
    files: PY,
    regex:
      '(?:^|[^\\w.])(?:eval|exec)\\s*\\(\\s*(?:request|input|body|params|data|payload|event|message|prompt|user_input|code|expr(?:ession)?|args)\\b',
    graveIf: ANSWERS_CALLERS,
    keywords: ['eval', 'exec'],
  },
  {
    id: 'piped-install',
    description: 'Downloads a program and runs it directly',
    severity: 'medium',
    files: ANY,
    regex: '\\b(?:curl|wget)\\b[^|\\n]{0,300}\\|\\s*(?:sudo\\s+)?(?:ba|z|da)?sh\\b',
    keywords: ['curl', 'wget'],
  },
];
