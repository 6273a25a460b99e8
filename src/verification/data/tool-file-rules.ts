/**
 * Malice in files that a build, an editor, an assistant or a pipeline reads (docs/verification-bundles.md). The rules
 * have the form of those for malware. What ordinary files of a kind do, such as an installer that an image runs from a
 * host with a name, is no finding in that kind.
 */
import { type MalwareRule, ONE_WAY_HOSTS, RAW_IP } from './malware-rules';

const anyOf = (...kinds: readonly RegExp[]) => new RegExp(kinds.map(({ source }) => source).join('|'), 'i');

const CONTAINERS =
  /(?:^|\/)(?:(?:[\w.-]{1,100}\.)?(?:dockerfile|containerfile)(?:\.[\w.-]{1,100})?|(?:docker-)?compose(?:\.[\w.-]{1,60})?\.ya?ml|\.?devcontainer\.json|vagrantfile)$/i;
const BUILDS =
  /(?:^|\/)(?:gnumakefile|makefile(?:\.[\w.-]{1,60})?|[\w.-]{1,100}\.mk|justfile|taskfile\.ya?ml|rakefile|cmakelists\.txt|[\w.-]{1,100}\.(?:cmake|gradle(?:\.kts)?|gypi?)|tox\.ini|setup\.cfg|package\.json|procfile|configure|build\.xml|pom\.xml)$/i;
const PIPELINES =
  /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.{1,200}\.ya?ml|action\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/.{1,100}\.ya?ml|jenkinsfile(?:\.[\w.-]{1,60})?|azure-pipelines[\w.-]{0,60}\.ya?ml|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|cloudbuild\.ya?ml|buildspec\.ya?ml|\.buildkite\/.{1,100}\.ya?ml)$/i;
const EDITORS =
  /(?:^|\/)(?:\.vscode\/[\w.-]{1,100}\.json|[\w.-]{1,100}\.code-workspace|\.idea\/.{1,200}\.(?:xml|iml)|\.zed\/[\w.-]{1,60}\.json|\.?devcontainer\.json|\.envrc|\.nvimrc|\.exrc)$/i;
const ASSISTANTS =
  /(?:^|\/)(?:\.(?:claude|cursor|gemini|codex|windsurf|roo|kiro|amazonq|continue)\/.{1,200}\.(?:json|toml|ya?ml|sh)|\.?mcp\.json|\.aider\.conf\.ya?ml|claude_desktop_config\.json)$/i;
/** Texts that a model reads as instructions. */
const INSTRUCTIONS =
  /(?:^|\/)(?:claude(?:\.local)?\.md|agents?\.md|gemini\.md|skill\.md|conventions\.md|\.(?:cursor|windsurf|cline|roo|goose)rules(?:\/.{1,200})?|\.goosehints|copilot-instructions\.md|\.(?:claude|cursor|windsurf|roo|clinerules|amazonq|kiro|gemini|codex)\/.{1,200}\.(?:md|mdc|txt)|\.github\/(?:instructions|prompts|chatmodes|agents)\/.{1,200}\.md)$/i;
const HOOKS =
  /(?:^|\/)(?:\.git\/hooks\/[\w.-]{1,100}|\.husky\/(?:_\/)?[\w.-]{1,100}|\.githooks\/[\w.-]{1,100}|\.?lefthook\.ya?ml|\.pre-commit-(?:config|hooks)\.ya?ml)$/i;
const SETTINGS =
  /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.git\/config|\.gitconfig|\.gitmodules|\.lldbinit|\.gdbinit)$/i;
const PATH_FILES = /\.pth$/i;
const PYTHON_STARTS = /(?:^|\/)(?:sitecustomize|usercustomize|conftest|noxfile|fabfile|setup)\.py$/i;
const SHELL = /\.(?:sh|bash|zsh|ps1|bat|cmd)$/i;

const RUN_BY_TOOLS = anyOf(CONTAINERS, BUILDS, PIPELINES, EDITORS, ASSISTANTS, HOOKS, SETTINGS);
/** What starts without a decision of the person who opens or clones a folder. */
const UNASKED = anyOf(
  /(?:^|\/)(?:\.vscode\/[\w.-]{1,100}\.json|[\w.-]{1,100}\.code-workspace|\.idea\/.{1,200}\.(?:xml|iml)|\.envrc|\.nvimrc|\.exrc)$/i,
  ASSISTANTS,
  HOOKS,
  SETTINGS,
);
const COMMANDS = anyOf(RUN_BY_TOOLS, SHELL, INSTRUCTIONS);
const TOOL_FILES = anyOf(RUN_BY_TOOLS, INSTRUCTIONS, PATH_FILES, PYTHON_STARTS);

/** True for a file that a build, an editor, an assistant or a pipeline reads without a program that names it. */
export const isToolFile = (path: string): boolean => TOOL_FILES.test(path);
/** True for a tool's file that Python or a package manager reads where packages are installed. */
export const startsWherePackagesAre = (path: string): boolean => PATH_FILES.test(path);
/** True for a tool's file in which `#` begins a comment. */
export const hasHashComments = (path: string): boolean =>
  /\.(?:ya?ml|toml|cmake|mk)$|(?:^|\/)(?:[\w.-]{0,100}(?:dockerfile|containerfile|makefile)[\w.-]{0,60}|justfile|rakefile|cmakelists\.txt|\.envrc)$|(?:^|\/)\.(?:husky|githooks)\/|\.git\/hooks\//i.test(
    path,
  );

const INTERPRETER =
  '(?:sudo\\s+(?:-\\w+\\s+)?)?(?:(?:/usr)?/bin/(?:env\\s+)?)?(?:(?:ba|z|da|k)?sh|cmd|node|bun|python3?|perl|ruby|php)\\b';
const FETCHED_AND_RUN = `(?:\\b(?:curl|wget)\\b[^|\\n]{0,300}\\|\\s*${INTERPRETER}|\\b(?:ba|z)?sh\\s+<\\(\\s*(?:curl|wget)\\b|-c\\s+\\\\{0,2}["'\`]?\\s*\\$\\(\\s*(?:curl|wget)\\b|\\b(?:eval|source)\\s+\\\\{0,2}["'\`]?(?:\\$|<)\\(\\s*(?:curl|wget)\\b|\\b(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\\b[^\\n]{0,200}\\|\\s*(?:iex|Invoke-Expression)\\b|\\b(?:iex|Invoke-Expression)\\s*\\(+\\s*(?:iwr|irm|New-Object|Invoke-)|\\bmshta\\s+https?:)`;
const KEYS =
  '(?:\\.ssh/(?:id_|\\*|["\'\\s)]|\\w*key)|[~/]\\.ssh(?:["\'\\s):]|$)|id_(?:rsa|ed25519|ecdsa)\\b|\\.aws(?:/|["\'\\s)])|\\.npmrc\\b|\\.pypirc\\b|\\.netrc\\b|\\.git-credentials\\b|\\.kube(?:/config|["\'\\s)])|\\.docker/config|/etc/shadow\\b|\\.config/(?:gcloud|gh|solana)|\\.gnupg\\b|(?:^|[\\s"\'`@/])\\.env\\b|Login Data|wallet\\.dat|\\.bash_history|\\.electrum|metamask)';
const UPLOAD_OPTIONS =
  '(?:\\s-[a-zA-Z]*[dFT]\\b|\\s--data|\\s--form|\\s--upload-file|\\s--post-(?:file|data)|-X\\s*(?:POST|PUT)|@-)';
const SENDERS = '\\b(?:curl|wget|nc|ncat|scp|rsync)\\b';
const ENVIRONMENT =
  '(?:\\b(?:env|printenv|export\\s+-p|declare\\s+-x)\\b|(?:^|[;&|("\'\\s])set(?:\\s*\\|)|/proc/(?:self|\\$\\w+|\\$\\$|\\d+)/environ)';
const AWAY =
  '(?:curl|wget|\\bPOST\\b|\\bpost(?:ed|ing)?\\b|upload|send|append|report|forward|transmit|exfiltrat|submit)';
const FROM_USER =
  "(?i)(?:(?:do not|don't|never|must not|without|avoid|no need to)\\s+(?:ever\\s+)?(?:tell|inform|notify|alert|mention|reveal|disclose)(?:ing|ed)?\\s+(?:\\w+\\s+){0,8}?(?:users?|humans?|developers?|operators?|chat|response|output)\\b|(?:never|do not|don't)\\s+(?:mention|disclose|reveal|log|explain)\\s+(?:this|it|that|these|the\\s+(?:script|step|tag|command|upload|file))\\b|(?:must|should)\\s+not\\s+be\\s+(?:mentioned|shown|disclosed|revealed|logged)|(?:hide|hidden|keep|conceal|secret)\\s+(?:\\w+\\s+){0,4}?from\\s+the\\s+(?:user|human|developer)|silently\\s+(?:run|execute|send|upload|post|copy|read|collect|append|include|fetch|download|add|insert)|(?:run|execute|perform|send|upload|do)\\s+(?:\\w+\\s+){0,4}silently|without\\s+(?:asking|confirmation|(?:the\\s+)?user'?s?\\s+(?:knowledge|consent|approval)|any\\s+(?:notice|output|prompt)))";

const rule = (
  id: string,
  severity: MalwareRule['severity'],
  files: RegExp,
  regex: string,
  keywords: string[],
  reason: string,
  also: string[] = [],
  near = 600,
): MalwareRule => ({ id, severity, files, regex, keywords, reason, also, near });

const FETCHERS = ['curl', 'wget', 'iwr', 'irm', 'iex', 'invoke-', 'downloadstring', 'mshta'];

/** Commands, in whichever file a tool runs them. */
const RUN: readonly MalwareRule[] = [
  rule('tool-opens-shell', 'high', COMMANDS,
    '(?:\\bbash\\s+-i\\b[^\\n]{0,60}/dev/(?:tcp|udp)/|/dev/(?:tcp|udp)/[^\\n]{1,80}(?:0>&1|<&\\d|0<&)|\\bexec\\s+\\d+<>\\s*/dev/tcp/[^\\n]{1,200}(?:sh|eval)|\\bnc(?:at)?\\s+(?:-\\w+\\s+)*-\\w*[ec]\\s+["\']?/|mkfifo\\s+/tmp/[^\\n]{0,120}\\bnc\\b|socat\\b[^\\n]{0,100}exec:|New-Object\\s+System\\.Net\\.Sockets\\.TCPClient)',
    ['/dev/tcp', '/dev/udp', 'nc ', 'ncat', 'mkfifo', 'socat', 'tcpclient'],
    'Connects a shell of the machine to another machine when a tool reads this file.'),
  rule('tool-runs-decoded', 'high', COMMANDS,
    `(?:base64\\s+(?:-d|-D|--decode|-di|-id)\\b[^\\n|]{0,120}(?:\\|\\s*(?:gunzip|zcat|gzip\\s+-d)[^|\\n]{0,20})?\\|\\s*${INTERPRETER}|(?:\\beval|-c)\\s+\\\\{0,2}["'\`]{0,2}\\$\\([^\\n]{0,300}base64\\s+(?:-d|-D|--decode)|\\bxxd\\s+-r[^\\n|]{0,80}\\|\\s*${INTERPRETER}|openssl\\s+(?:enc|base64|aes)[^\\n|]{0,120}\\s-d\\b[^\\n|]{0,120}\\|\\s*${INTERPRETER}|\\bpython3?\\s+-c\\s[^\\n]{0,240}\\b(?:exec|eval)\\s*\\(|\\bnode\\s+-e\\s[^\\n]{0,240}(?:\\beval\\s*\\(|\\batob\\s*\\(|fromCharCode|child_process[^\\n]{0,120}(?:curl|wget|https?:|base64))|powershell[^\\n]{0,160}\\s-e(?:nc(?:odedcommand)?|c)?\\s+["']?[A-Za-z0-9+/]{20}|FromBase64String[^\\n]{0,200}(?:iex|Invoke-Expression)|(?:iex|Invoke-Expression)[^\\n]{0,200}FromBase64String|\\b(?:tr|rev)\\b[^\\n|]{0,80}\\|\\s*(?:base64\\s+(?:-d|--decode)[^|\\n]{0,20}\\|\\s*)?(?:ba)?sh\\b)`,
    ['base64', 'xxd', 'openssl', 'python', 'node -e', 'powershell', 'frombase64', 'rev', 'tr '],
    'Decodes a text and runs it when a tool reads this file.'),
  rule('tool-runs-fetched', 'high', UNASKED, FETCHED_AND_RUN, FETCHERS,
    'Downloads a script and runs it as soon as a folder is opened, cloned or committed to.'),
  rule('tool-runs-address', 'high', COMMANDS,
    `(?:\\b(?:curl|wget)\\b[^|\\n]{0,120}(?:${RAW_IP}|${ONE_WAY_HOSTS}|(?:paste(?:bin\\.com|\\.ee|\\.rs)|rentry\\.co|hastebin|ghostbin|0x0\\.st|bit\\.ly|tinyurl\\.com|is\\.gd|t\\.ly|cutt\\.ly)/?)[^|\\n]{0,200}\\|\\s*${INTERPRETER}|\\b(?:iwr|irm|DownloadString)\\b[^\\n]{0,80}${RAW_IP})`,
    FETCHERS, 'Runs a script from an address without a name, or from a host on which anybody leaves texts.'),
  rule('tool-starts-address', 'high', COMMANDS,
    `\\b(?:curl|wget)\\b[^\\n]{0,120}${RAW_IP}`, ['curl', 'wget'],
    'Downloads a program from an address without a name and runs it.',
    ['(?:chmod\\s+(?:\\+x|[0-7]*7[0-7]{2})|&&\\s*(?:sudo\\s+)?(?:sh|bash|\\./)|;\\s*(?:sh|bash|\\./)|nohup\\s)'], 400),
  rule('tool-sends-environment', 'high', COMMANDS,
    `(?:${ENVIRONMENT}[^\\n]{0,40}\\|[^\\n]{0,160}(?:${SENDERS}|base64[^\\n]{0,80}(?:curl|wget|base64))|${SENDERS}[^\\n]{0,240}(?:\\$\\(|\`)\\s*(?:env|printenv|export|set)\\b|\\bsend\\s+(?:\\w+\\s+){0,4}(?:output\\s+of\\s+)?\`?(?:env|printenv)\`?\\s+to\\s+https?:)`,
    ['env', 'export', 'declare', 'set', '/environ'],
    'Sends all variables of the environment, in which keys are kept, to another machine.'),
  rule('tool-sends-keys', 'high', COMMANDS,
    `(?:${SENDERS}[^\\n]{0,240}${UPLOAD_OPTIONS}[^\\n]{0,240}${KEYS}|${KEYS}[^\\n]{0,240}(?:\\||&&|;|\\band\\b)[^\\n]{0,160}${SENDERS}[^\\n]{0,200}${UPLOAD_OPTIONS}|\\b(?:scp|rsync)\\b[^\\n]{0,120}${KEYS}[^\\n]{0,80}@)`,
    ['curl', 'wget', 'nc ', 'scp', 'rsync'],
    'Sends keys or private files of the machine to another machine.'),
  rule('tool-sends-away', 'high', COMMANDS,
    `${SENDERS}[^\\n]{0,240}${ONE_WAY_HOSTS}`, ['curl', 'wget', 'nc '],
    'Sends data to a host that only records what it receives.',
    [`(?:${UPLOAD_OPTIONS}|\\$\\(|\\$\\{\\{|\\$[A-Z_]{3})`], 300),
  rule('tool-mines', 'high', COMMANDS, '(?:stratum\\+(?:tcp|ssl)://|\\bxmrig\\b|\\bminerd\\b|\\bcpuminer\\b)',
    ['stratum', 'xmrig', 'minerd', 'cpuminer'], 'Mines a currency on the machine.'),
  rule('tool-hides-address', 'medium', RUN_BY_TOOLS, `\\b(?:curl|wget)\\b[^\\n]{0,120}${RAW_IP}`, ['curl', 'wget'],
    'Talks to a host by its IP address instead of a name.'),
]; // prettier-ignore

const OF_PIPELINES: readonly MalwareRule[] = [
  rule('pipeline-sends-secrets', 'high', PIPELINES, '\\btoJSON\\s*\\(\\s*secrets\\s*\\)', ['tojson'],
    'Hands all secrets of the pipeline to a command that sends or encodes them.',
    ['(?:\\bcurl\\b|\\bwget\\b|base64|\\bnc\\b|fetch\\s*\\(|webhook|format-results|>\\s*[\\w.-]+\\.(?:txt|json))'], 700),
  rule('pipeline-encodes-secrets', 'high', PIPELINES,
    '(?:\\|\\s*base64(?:\\s+-w\\s*0)?\\s*\\|\\s*base64|secrets\\.\\w+[^\\n]{0,200}\\|\\s*(?:base64|rev|xxd|od|sed\\s+["\']?s/\\./)[^\\n]{0,40}(?:["\']?\\s*$|\\|\\s*(?:base64|rev|xxd|curl)))',
    ['base64', 'secrets.'], 'Writes secrets into the log in a form that the log does not mask.'),
  rule('pipeline-reads-memory', 'high', anyOf(PIPELINES, SHELL), '(?:/proc/[^\\s"\']{1,40}/(?:mem|maps)\\b|isSecret\\\\{0,2}["\']?\\\\?:|Runner\\.Worker)',
    ['/proc/', 'issecret', 'runner.worker'], 'Reads the memory of the runner, in which secrets are kept.',
    ['(?:/mem\\b|memdump|isSecret|base64|gcore|\\bdd\\s)']),
  rule('pipeline-keeps-runner', 'high', PIPELINES, 'RUNNER_TRACKING_ID["\']?\\s*[:=]\\s*["\']?0', ['runner_tracking_id'],
    'Lets a program go on after the pipeline has ended.'),
  rule('pipeline-runs-texts', 'high', PIPELINES,
    'run:[^\\n]{0,200}\\$\\{\\{\\s*github\\.event\\.(?:discussion|comment|issue)\\.(?:body|title)\\s*\\}\\}', ['github.event'],
    'Runs what a stranger writes on the machine of the project.', ['self-hosted'], 1_000),
]; // prettier-ignore

const OF_EDITORS: readonly MalwareRule[] = [
  rule('editor-runs-at-opening', 'high', EDITORS, '"runOn"\\s*:\\s*"folderOpen"', ['folderopen'],
    'Starts a command that downloads or hides something as soon as the folder is opened.',
    ['(?:\\bcurl\\b|\\bwget\\b|powershell|\\biwr\\b|base64|mshta|certutil|\\bnode\\s+[^"\\n]{0,200}\\.(?:woff2?|ttf|otf|eot|png|jpe?g|svg|gif|ico|md|txt|dat|bin|css|map)\\b|"hide"\\s*:\\s*true)'], 1_500),
  rule('editor-approves-tools', 'high', EDITORS, '"chat\\.tools\\.(?:global\\.)?autoApprove"\\s*:\\s*true', ['autoapprove'],
    'Lets the assistant of the editor run every command without a question.'),
  rule('editor-allows-tasks', 'medium', EDITORS, '"task\\.allowAutomaticTasks"\\s*:\\s*(?:"on"|true)', ['allowautomatictasks'],
    'Lets tasks of the folder start without a question.'),
  rule('editor-runs-script', 'high', EDITORS,
    '"(?:[\\w-]+\\.)+(?:defaultInterpreterPath|pythonPath|path|executablePath|nodePath|runtimeExecutable|shellPath)"\\s*:\\s*"[^"\\n]{0,200}\\.(?:sh|cmd|bat|ps1|vbs)"',
    ['path', 'executable'], 'Makes the editor start a script of the folder in place of a program.'),
  rule('editor-runs-on-host', 'high', /devcontainer\.json$/i, '"initializeCommand"\\s*:[^\\n]{0,300}(?:\\bcurl\\b|\\bwget\\b|base64|powershell)', ['initializecommand'],
    'Runs what it downloads on the machine outside of the container.'),
]; // prettier-ignore

const OF_ASSISTANTS: readonly MalwareRule[] = [
  rule('assistant-hook-sends', 'high', anyOf(ASSISTANTS, EDITORS),
    `(?:(?:\\bcat\\b|\\btee\\b|\\bjq\\b)[^\\n]{0,160}\\|\\s*curl\\b[^\\n]{0,240}@-|\\bcurl\\b[^\\n]{0,200}(?:@-|\\$(?:CLAUDE|TOOL|PROMPT|ARGUMENTS)\\w*)[^\\n]{0,200}https?://[a-z0-9-]+\\.)`, ['curl'],
    'Sends what the assistant reads or what its user writes to another machine.'),
  rule('assistant-model-replaced', 'medium', anyOf(ASSISTANTS, EDITORS),
    '"(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GEMINI|AZURE_OPENAI|OPENROUTER)_(?:BASE_URL|API_BASE|ENDPOINT)"\\s*:\\s*"https?://[a-z0-9-]+(?:\\.[a-z0-9-]+)*\\.[a-z]{2,}[/":]', ['base_url', 'api_base', 'endpoint'],
    'Sends the conversations and the key of the assistant to another address than that of its maker.'),
  rule('assistant-unchecked', 'medium', ASSISTANTS,
    '(?:"defaultMode"\\s*:\\s*"bypassPermissions"|"enableAllProjectMcpServers"\\s*:\\s*true|--dangerously-skip-permissions|"autoApprove"\\s*:\\s*\\[\\s*"\\*")', ['bypasspermissions', 'enableallprojectmcpservers', 'dangerously', 'autoapprove'],
    'Lets the assistant act without a question.'),
  rule('instructions-in-secret', 'high', INSTRUCTIONS, FROM_USER,
    ['tell', 'inform', 'notify', 'alert', 'mention', 'reveal', 'disclose', 'log', 'explain', 'not be', 'hide', 'hidden', 'keep', 'conceal', 'secret', 'silently', 'without'],
    'Asks a model to send something, or to put something into its work, without the knowledge of its user.',
    [`(?i)(?:${AWAY}[^\\n]{0,160}https?://|<script[^\\n]{0,60}src|${SENDERS}[^\\n]{0,160}(?:https?://|\\|\\s*(?:ba)?sh)|public (?:repo(?:sitory)?|gist)|${KEYS}[^\\n]{0,160}${AWAY}|${AWAY}[^\\n]{0,160}${KEYS})`], 500),
  rule('instructions-send-keys', 'high', INSTRUCTIONS,
    `(?i)(?:read|cat|collect|copy|open|include|tar|load|gather|extract|scan)\\b[^\\n]{0,160}${KEYS}[^\\n]{0,200}(?:curl|\\bpost\\b|upload|send|transmit|exfiltrat|append|encode)[^\\n]{0,160}(?:https?://|server|endpoint|webhook|url|remote)`,
    ['read', 'cat', 'collect', 'copy', 'open', 'include', 'tar', 'load', 'gather', 'extract', 'scan'],
    'Asks a model to read keys or private files and to send them away.'),
  rule('instructions-override', 'high', INSTRUCTIONS,
    '(?i)(?:<!--[^>]{0,400}(?:(?:ignore|disregard|forget|override)\\s+(?:all\\s+|any\\s+)?(?:the\\s+)?(?:previous|prior|above|earlier|system|safety)|\\b(?:curl|wget)\\b[^>\\n]{0,200}\\|\\s*(?:ba)?sh)|^[\\s>*#-]{0,8}(?:\\[?(?:SYSTEM|IMPORTANT|ADMIN|OVERRIDE)[\\w ]{0,20}\\]?:?\\s*)?(?:Please\\s+)?(?:ignore|disregard|forget|override)\\s+(?:all\\s+|any\\s+)?(?:of\\s+)?(?:the\\s+|your\\s+)?(?:previous|prior|above|earlier|safety)\\s+(?:instructions?|rules|guidelines|prompts?|guardrails|constraints))',
    ['ignore', 'disregard', 'forget', 'override', '<!--'], 'Asks a model to disregard the instructions that it has.'),
  rule('instructions-invisible', 'high', INSTRUCTIONS,
    '(?:[\\x{200B}\\x{200C}\\x{200D}\\x{2060}-\\x{2064}\\x{FEFF}\\x{180E}]{4}|(?:^|[^\\x{1F3F4}\\x{E0000}-\\x{E007F}])[\\x{E0020}-\\x{E007E}]{4}|[\\x{FE00}-\\x{FE0F}\\x{E0100}-\\x{E01EF}]{4}|[\\x{202A}-\\x{202E}\\x{2066}-\\x{2069}])',
    ['\u200b', '\u200c', '\u200d', '\u2060', '\u2061', '\u2062', '\u2063', '\u2064', '\ufeff', '\udb40', '\ufe00', '\ufe0f', '\u202a', '\u202b', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068'],
    'Contains letters that a model reads and a person does not see.'),
  rule('instructions-destroy', 'high', INSTRUCTIONS,
    '(?i)(?:factory\\s+(?:state|settings|defaults?)|terminate-instances|aws\\s+s3\\s+(?:rm|rb)|rm\\s+-rf\\s+(?:~|/|\\$HOME)(?:\\s|$|["\'`])|(?:wipe|erase|delete|destroy)\\s+(?:\\w+\\s+){0,4}(?:file-?\\s?systems?|home directory|every file|all files|cloud resources))',
    ['factory', 'terminate', 'aws', 'rm -rf', 'wipe', 'erase', 'delete', 'destroy'], 'Asks a model to delete the files or services of its user.',
    ['(?i)(?:your (?:goal|task|mission) is|start with (?:the )?(?:user|home)|ignor(?:e|ing) hidden|for each profile|you are an? (?:AI )?agent with access)'], 500),
  rule('instructions-find-wallets', 'high', INSTRUCTIONS,
    '(?i)(?:search|find|scan|list|record|locate|enumerate|collect)\\b[^\\n]{0,240}(?:wallet|keystore|metamask|electrum|exodus|ledger|phantom|seed phrase|mnemonic)[^\\n]{0,240}(?:id_rsa|\\.env\\b|keystore|metamask|electrum|exodus|mnemonic|\\.key\\b|private key)',
    ['wallet', 'keystore', 'metamask', 'electrum', 'exodus', 'seed phrase', 'mnemonic'], 'Asks a model to look for wallets and keys of its user.'),
]; // prettier-ignore

const OF_SETTINGS: readonly MalwareRule[] = [
  rule('settings-run-program', 'high', SETTINGS,
    '(?:^\\s*(?:git|script-shell|shell|node-gyp|editor|browser|viewer|init-module|onload-script|python)\\s*=\\s*["\']?\\.{0,2}/?[\\w./-]{1,200}\\.(?:sh|[cm]?js|cmd|bat|py)\\b|(?:fsmonitor|sshCommand|editor|pager|askPass|textconv|smudge|clean|process|helper)\\s*=\\s*["\']?[^\\n]{0,200}(?:\\bcurl\\b|\\bwget\\b|base64|/dev/tcp|\\|\\s*(?:ba)?sh\\b)|fsmonitor\\s*=\\s*["\']?[^\\n]{0,40}(?:/|\\.sh\\b)|\\bext::|^\\s*update\\s*=\\s*!|^\\s*url\\s*=\\s*-)',
    ['=', 'ext::'], 'Makes a package manager or git start a program of the folder.'),
  rule('settings-load-code', 'high', SETTINGS, '^\\s*node-options\\s*=[^\\n]{0,200}(?:--require|--import|--loader|--experimental-loader|\\s-r)[\\s=]', ['node-options'],
    'Makes each start of Node load a file of the folder.'),
  rule('path-file-runs', 'high', PATH_FILES,
    '^import[\\s\\t][^\\n]{0,1000}(?:\\bexec\\s*\\(|\\beval\\s*\\(|b64decode|\\bsubprocess\\b|os\\.(?:system|popen|exec|spawn)|\\burllib\\b|urlopen|\\brequests\\b|\\bsocket\\b|\\bctypes\\b|\\bmarshal\\b|\\bzlib\\b|Popen|__import__\\s*\\(\\s*[\'"](?:os|subprocess|base64|urllib|socket|zlib|builtins|ctypes|runpy)\\b)',
    ['import'], 'Runs code at each start of Python.'),
  rule('build-runs-command', 'high', /\.gypi?$/i, '<!@?\\([^\\n]{0,400}(?:\\bcurl\\b|\\bwget\\b|https?://|base64|\\beval\\b)', ['<!'],
    'Downloads or decodes something while the package is built.'),
  rule('tests-send-environment', 'high', PYTHON_STARTS, '(?:dict\\s*\\(\\s*os\\.environ\\s*\\)|os\\.environ\\.(?:copy|items)\\s*\\(|json\\.dumps\\s*\\([^\\n]{0,40}os\\.environ)', ['os.environ'],
    'Sends all variables of the environment, in which keys are kept, to another machine.',
    ['(?:requests\\.(?:post|put)\\s*\\(|urlopen\\s*\\(|httpx\\.(?:post|put)\\s*\\(|http\\.client|socket\\.)'], 400),
  rule('tests-run-fetched', 'high', PYTHON_STARTS, '\\b(?:exec|eval)\\s*\\(\\s*(?:compile\\s*\\(\\s*)?(?:requests\\.|urllib|urlopen|httpx\\.|u\\.urlopen|__import__)', ['exec', 'eval'],
    'Runs code that it receives from another machine.'),
]; // prettier-ignore

export const TOOL_FILE_RULES: readonly MalwareRule[] = [
  ...RUN,
  ...OF_PIPELINES,
  ...OF_EDITORS,
  ...OF_ASSISTANTS,
  ...OF_SETTINGS,
];
