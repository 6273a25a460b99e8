/**
 * Finds malice in files that are no text: programs under another name or without their source, pictures that contain
 * code, and pickles that call functions when they are loaded. Reads bytes; runs nothing.
 */
import { inflateRawSync, unzipSync } from 'node:zlib';
import type { DangerousCallFact } from '../../domain/evidence/evidence-facts';
import type { TarFile } from '../../kit/archives/tar';
import { sha256Hex } from '../../kit/json/canonical-json';
import { dangerousGlobal } from './pickles';

const SOURCES =
  /\.(?:c|cc|cpp|cxx|h|hpp|rs|go|zig|swift|mm?|pyx|nim|f90|java|kt|cs|s|asm)$|(?:^|\/)(?:binding\.gyp|Cargo\.toml|CMakeLists\.txt|go\.mod|Makefile)$/i;
/** Names under which no program is expected. */
const OTHER_NAMES =
  /\.(?:png|jpe?g|gif|webp|ico|bmp|svg|woff2?|ttf|otf|eot|mp[34]|wav|pdf|txt|md|json|ya?ml|csv|css|html?|log|dat|db|cfg|ini|xml|map|lock)$|(?:^|\/)\.[^/]{1,100}$/i;
const PICTURES = /\.(?:png|jpe?g|gif|webp|ico|bmp|woff2?|ttf|otf|eot|mp[34]|wav)$/i;
const MODELS = /\.(?:pkl|pickle|p|pt|pth|ckpt|bin|joblib|dill|npy|npz|sav|model|dat|data|zip)$/i;
/** Code that no picture contains by chance or in its description. */
const CODE_IN_PICTURE =
  /<\?php\b|#!\/(?:usr\/)?bin\/|\beval\s{0,4}\((?:\s{0,4}(?:await|atob|base64_decode|String|Buffer|require|gzinflate))|require\(\s{0,4}["'](?:node:)?child_process|\bos\.system\s{0,4}\(|\bsubprocess\.(?:run|Popen|call)|\bexec\s{0,4}\((?:base64|requests|urllib|compile)|\b(?:curl|wget)\s[^\n]{1,200}\|\s{0,4}(?:ba)?sh\b|powershell(?:\.exe)?\s{1,40}-/i;
const CODE =
  /\beval\s{0,4}\(|\bexec\s{0,4}\(|os\.system|child_process|\brequire\s{0,4}\(|^\s{0,20}(?:import|from)\s{1,40}[\w.]{1,40}\s{0,4}(?:$|;|import\b)|\bfunction\b[^\n]{0,60}\(|=>\s{0,4}[{(]|^#!\/|\b(?:curl|wget)\s|powershell|\bfetch\s{0,4}\(|\b(?:const|let|var)\s{1,40}[\w$]{1,40}\s{0,4}=/im;
const MOST_READ = 8 * 1024 * 1024;
const MOST_ENTRIES = 60;
/** An archive may begin so far behind the end of a picture. */
const SLACK = 64;

type Finding = Pick<DangerousCallFact, 'rule' | 'description'> & { severity: 'high' | 'medium' };

const FINDINGS = {
  disguised: { rule: 'program-under-other-name', severity: 'high', description: 'Is a program under the name of another kind of file.' },
  sourceless: { rule: 'program-without-source', severity: 'medium', description: 'Is a program whose source is not in the bundle, so that what it does cannot be read.' },
  picture: { rule: 'code-in-picture', severity: 'high', description: 'Contains code in or behind a picture.' },
  text: { rule: 'code-under-other-name', severity: 'high', description: 'Is code under the name of a picture, a font or a sound.' },
  archive: { rule: 'archive-behind-picture', severity: 'medium', description: 'Contains an archive behind the end of a picture.' },
  pickle: { rule: 'pickle-runs-code', severity: 'high', description: 'Calls a function of the system when it is loaded.' },
} satisfies Record<string, Finding>; // prettier-ignore

/** The findings in the developer's own files. `isTest`: whether a path is that of a test, an example or a document. */
export function binaryFindings(
  files: readonly TarFile[],
  isTest: (path: string) => boolean,
): DangerousCallFact[] {
  const hasSource = files.some(({ path }) => SOURCES.test(path));
  return files.flatMap(({ path, bytes }): DangerousCallFact[] => {
    const finding = findingOf(path, bytes, hasSource);
    if (!finding) return [];
    const digest = sha256Hex(`${finding.rule} ${bytes.length}`).slice(0, 8);
    return [{ ...finding, path, line: 1, isTestFile: isTest(path), isMalware: true, digest }];
  });
}

function findingOf(path: string, bytes: Buffer, hasSource: boolean): Finding | undefined {
  if (isProgram(bytes)) {
    if (OTHER_NAMES.test(path)) return FINDINGS.disguised;
    return hasSource ? undefined : FINDINGS.sourceless;
  }
  const end = endOfPicture(bytes);
  if (end !== undefined) return inPicture(bytes, end);
  if (PICTURES.test(path)) return isCode(bytes) ? FINDINGS.text : undefined;
  const mayBePickle =
    MODELS.test(path) || (bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 9) <= 5);
  return mayBePickle && pickledParts(bytes).some(dangerousGlobal) ? FINDINGS.pickle : undefined;
}

/** True for programs of Linux, Windows and macOS. */
function isProgram(bytes: Buffer): boolean {
  if (bytes.length < 64) return false;
  const magic = bytes.readUInt32BE(0);
  if (magic === 0x7f454c46 || [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe].includes(magic)) return true;
  // Classes of Java begin like programs for several processors of macOS.
  if (magic === 0xcafebabe) return bytes.readUInt32BE(4) < 20;
  if (bytes[0] !== 0x4d || bytes[1] !== 0x5a) return false;
  const at = bytes.readUInt32LE(60);
  return at + 4 <= bytes.length && bytes.toString('latin1', at, at + 4) === 'PE\0\0';
}

/** Where the picture ends; undefined for other files. */
function endOfPicture(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') {
    const end = bytes.indexOf('IEND');
    return end < 0 ? bytes.length : Math.min(bytes.length, end + 8);
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) {
    const end = bytes.lastIndexOf(Buffer.from([0xff, 0xd9]));
    return end < 0 ? bytes.length : end + 2;
  }
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    const end = bytes.lastIndexOf(0x3b);
    return end < 0 ? bytes.length : end + 1;
  }
  return undefined;
}

function inPicture(bytes: Buffer, end: number): Finding | undefined {
  if (CODE_IN_PICTURE.test(bytes.toString('latin1', 0, MOST_READ))) return FINDINGS.picture;
  const behind = bytes.toString('latin1', end, end + MOST_READ);
  if (/^[\t\n\r\x20-\x7e]{20}/.test(behind) && CODE.test(behind)) return FINDINGS.picture;
  return behind.slice(0, SLACK).includes('PK\x03\x04') ? FINDINGS.archive : undefined;
}

/** True for a text that is code; pages and drawings, which servers send in place of pictures, are none. */
function isCode(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  const text = bytes.toString('latin1', 0, MOST_READ);
  return !/^\s{0,40}<(?:!doctype|html|svg|\?xml)/i.test(text) && CODE.test(text);
}

/** The file itself, and the parts that it contains compressed. */
function pickledParts(bytes: Buffer): Buffer[] {
  const parts = [bytes.subarray(0, MOST_READ)];
  const isCompressed = bytes[0] === 0x78 || (bytes[0] === 0x1f && bytes[1] === 0x8b);
  if (isCompressed) parts.push(...inflated(() => unzipSync(bytes, { maxOutputLength: MOST_READ })));
  let at = bytes.indexOf('PK\x03\x04');
  for (let count = 0; at >= 0 && count < MOST_ENTRIES && at + 30 < bytes.length; count += 1) {
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const next = bytes.indexOf('PK\x03\x04', at + 4);
    if (bytes.readUInt16LE(at + 8) === 8)
      parts.push(...inflated(() => inflateRawSync(bytes.subarray(begin), { maxOutputLength: MOST_READ })));
    at = next;
  }
  return parts;
}

function inflated(read: () => Buffer): Buffer[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
