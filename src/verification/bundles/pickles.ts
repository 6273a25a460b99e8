/** Reads which functions a pickle of Python names, without running it. */

/** Modules of Python that start programs, run text, reach the network or load code. */
const MODULES =
  /^(?:os|posix|nt|posixpath|subprocess|_posixsubprocess|sys|pty|tty|shutil|socket|_socket|ssl|socketserver|runpy|webbrowser|importlib|imp|zipimport|pkgutil|code|codeop|commands|pip|ensurepip|venv|ctypes|_ctypes|multiprocessing|concurrent|asyncio|http|httplib|urllib|urllib2|urllib3|requests|httpx|aiohttp|smtplib|ftplib|telnetlib|poplib|imaplib|xmlrpc|bdb|pdb|profile|cProfile|trace|timeit|doctest|pydoc|idlelib|lib2to3|distutils|setuptools|pickle|_pickle|cPickle|marshal|dill|cloudpickle|shelve|signal|cgitb|_osx_support|_aix_support|_pyrepl|platform|test|unittest|linecache|logging|fileinput|tempfile|glob|pathlib|io|_io|nturl2path|getpass|readline|rlcompleter|sqlite3|threading|_thread|turtle|tkinter|ast|inspect|types|gc|site|sysconfig|antigravity|this|py_compile|compileall)(?:\.|$)/;
/** Plain values of these modules, which ordinary pickles contain. */
const PLAIN =
  /^(?:pathlib\.\w{1,40}|io\.(?:BytesIO|StringIO)|_io\.(?:BytesIO|StringIO)|types\.(?:SimpleNamespace|MappingProxyType)|logging\.(?:Logger|getLogger)|sys\.intern|threading\.\w{0,2}Lock|dill\._dill\._create_array|ssl\.\w{1,40}Enum|http\.cookiejar\.\w{1,40}|requests\.(?:cookies|sessions|structures)\.\w{1,60}|urllib3\.\w{1,100}|test\.\w{1,40}|unittest\.mock\.\w{1,40}|platform\.uname_result|http\.HTTPStatus|signal\.Signals|multiprocessing\.\w{1,40}\._?rebuild\w{0,40})$/;
const BUILTINS =
  /^(?:__builtin__|builtins|__builtins__)\.(?:eval|exec|execfile|compile|open|file|__import__|getattr|setattr|delattr|globals|locals|vars|apply|input|breakpoint|reload|map|filter|type|__build_class__)\b/;
/** Functions of other modules that run a text or a program. */
const OTHERS =
  /^(?:operator\.(?:attrgetter|methodcaller)|functools\.reduce|_operator\.(?:attrgetter|methodcaller)|numpy\.(?:testing\.|f2py\.|distutils\.|ctypeslib\.|core\.sysinfo)|torch\.(?:hub|utils\.(?:bottleneck|cpp_extension|_config_module|collect_env|data\.datapipes\.utils)|jit\.(?:unsupported_tensor_ops|_script)|fx\.experimental|_inductor|_dynamo|distributed\.|serialization\.load|load$|storage\._load_from_bytes)|pandas\.(?:io\.|eval|core\.computation|read_\w{1,20})|joblib\.(?:load|_memmapping|numpy_pickle)|sklearn\.externals|uuid\._|random\._os|random\._inst\.__|code\.|collections\.namedtuple|_codecs\.\w{1,20}decode$|_jsonnet|jsonpickle|yaml\.|transformers\.\w{1,60}\._load|onnx\.|keras\.\w{1,40}\.load|tensorflow\.\w{0,60}(?:load|io))/;
const GLOBAL = /[ci]([A-Za-z_][\w.]{0,200})\n([A-Za-z_][\w.]{0,200})\n/g;
const MOST_STRINGS = 20_000;
const NAME = /^[A-Za-z_][\w.]{0,200}$/;

/** True for a pickle that names a function that runs or loads something. */
export function dangerousGlobal(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  for (const [, module = '', name = ''] of text.matchAll(GLOBAL)) if (isDangerous(module, name)) return true;
  return stackGlobals(bytes).some(([module, name]) => isDangerous(module, name));
}

function isDangerous(module: string, name: string): boolean {
  const whole = `${module}.${name}`;
  if (BUILTINS.test(whole) || OTHERS.test(whole)) return true;
  return MODULES.test(module) && !PLAIN.test(whole);
}

/**
 * Module and name of each function that a pickle of protocol 4 takes from its stack: the two names before the opcode
 * `STACK_GLOBAL`, by a scan of its strings.
 */
function stackGlobals(bytes: Buffer): [string, string][] {
  const found: [string, string][] = [];
  const last: string[] = [];
  const note = (text: string) => {
    last.push(text);
    if (last.length > 2) last.shift();
  };
  let count = 0;
  for (let at = bytes.indexOf(0x80); at >= 0 && at < bytes.length && count < MOST_STRINGS; at += 1) {
    const opcode = bytes[at];
    if (opcode === 0x8c || opcode === 0x55) {
      const length = bytes[at + 1] ?? 0;
      const text = bytes.toString('latin1', at + 2, at + 2 + length);
      if (!NAME.test(text)) continue;
      note(text);
      count += 1;
      at += 1 + length;
    } else if (opcode === 0x58) {
      const length = at + 5 <= bytes.length ? bytes.readUInt32LE(at + 1) : 0;
      if (length === 0 || length > 200) continue;
      const text = bytes.toString('latin1', at + 5, at + 5 + length);
      if (!NAME.test(text)) continue;
      note(text);
      count += 1;
      at += 4 + length;
    } else if (opcode === 0x93) {
      const [module, name] = last;
      if (module !== undefined && name !== undefined) found.push([module, name]);
    }
  }
  return found;
}
