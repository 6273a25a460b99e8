import { RE2JS } from 're2js';
import { BoundedMap } from '../../bounded-map';

/** Long names of General_Category values (Unicode, PropertyValueAliases.txt) with the short ones, which RE2 knows. */
const CATEGORIES: Readonly<Record<string, string>> = {
  Cased_Letter: 'LC',
  Close_Punctuation: 'Pe',
  Combining_Mark: 'M',
  Connector_Punctuation: 'Pc',
  Control: 'Cc',
  Currency_Symbol: 'Sc',
  Dash_Punctuation: 'Pd',
  Decimal_Number: 'Nd',
  Enclosing_Mark: 'Me',
  Final_Punctuation: 'Pf',
  Format: 'Cf',
  Initial_Punctuation: 'Pi',
  Letter: 'L',
  Letter_Number: 'Nl',
  Line_Separator: 'Zl',
  Lowercase_Letter: 'Ll',
  Mark: 'M',
  Math_Symbol: 'Sm',
  Modifier_Letter: 'Lm',
  Modifier_Symbol: 'Sk',
  Nonspacing_Mark: 'Mn',
  Number: 'N',
  Open_Punctuation: 'Ps',
  Other: 'C',
  Other_Letter: 'Lo',
  Other_Number: 'No',
  Other_Punctuation: 'Po',
  Other_Symbol: 'So',
  Paragraph_Separator: 'Zp',
  Private_Use: 'Co',
  Punctuation: 'P',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Spacing_Mark: 'Mc',
  Surrogate: 'Cs',
  Symbol: 'S',
  Titlecase_Letter: 'Lt',
  Unassigned: 'Cn',
  Uppercase_Letter: 'Lu',
  cntrl: 'Cc',
  digit: 'Nd',
  punct: 'P',
};
const SHORT_CATEGORIES = new Set([...Object.values(CATEGORIES), 'C', 'L', 'M', 'N', 'P', 'S', 'Z']);

/** Properties without a value, by each of their names, with RE2's name. */
const BINARY: Readonly<Record<string, string>> = {
  AHex: 'ASCII_Hex_Digit',
  ASCII: 'Ascii',
  Alpha: 'Alphabetic',
  EBase: 'Emoji_Modifier_Base',
  EComp: 'Emoji_Component',
  EMod: 'Emoji_Modifier',
  EPres: 'Emoji_Presentation',
  ExtPict: 'Extended_Pictographic',
  Hex: 'Hex_Digit',
  Lower: 'Lowercase',
  QMark: 'Quotation_Mark',
  Term: 'Terminal_Punctuation',
  Upper: 'Uppercase',
  space: 'White_Space',
};
const BINARY_NAMES = new Set([...Object.values(BINARY), 'Any', 'Assigned', 'Dash', 'Emoji', 'Math']);
BINARY_NAMES.delete('Ascii');

const SCRIPT = /^(?:Script|sc)=([A-Z][A-Za-z_]{1,40})$/;
const CATEGORY = /^(?:General_Category|gc)=([A-Za-z_]{1,40})$/;

/**
 * Translates what stands between the braces of `\p{…}` in ECMA-262 to RE2's name, or returns undefined for a property
 * that RE2 does not have (`Script_Extensions`, `ID_Start`, …) or that ECMA-262 does not have.
 */
export function unicodeProperty(text: string): string | undefined {
  const script = SCRIPT.exec(text)?.[1];
  if (script !== undefined) return scriptName(script);
  const category = CATEGORY.exec(text)?.[1];
  const name = category ?? text;
  if (Object.hasOwn(CATEGORIES, name)) return CATEGORIES[name];
  if (SHORT_CATEGORIES.has(name)) return name;
  if (category !== undefined) return undefined;
  if (Object.hasOwn(BINARY, name)) return BINARY[name];
  return BINARY_NAMES.has(name) ? name : undefined;
}

const MAX_KEPT = 500;
/** Scripts by the names that were asked for; `undefined` for names that are no script. */
const scripts = new BoundedMap<string, string | undefined>(MAX_KEPT);

/** RE2 knows the long names of scripts (`Greek`), ECMA-262 the short ones (`Grek`) too. */
function scriptName(name: string): string | undefined {
  if (scripts.has(name)) return scripts.get(name);
  const long = Object.hasOwn(COMMON_SCRIPTS, name) ? COMMON_SCRIPTS[name] : name;
  const found = long !== undefined && isEcmaScript(name) && isRe2Script(long) ? long : undefined;
  scripts.set(name, found);
  return found;
}

/** The names that V8 reads; `name` consists of letters. */
function isEcmaScript(name: string): boolean {
  try {
    return new RegExp(`\\p{Script=${name}}`, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function isRe2Script(name: string): boolean {
  try {
    return (
      !SHORT_CATEGORIES.has(name) && !BINARY_NAMES.has(name) && RE2JS.compile(`\\p{${name}}`) !== undefined
    );
  } catch {
    return false;
  }
}

/** Short names of scripts that are in use today; scripts of history need their long name. */
const COMMON_SCRIPTS: Readonly<Record<string, string>> = {
  Arab: 'Arabic',
  Armn: 'Armenian',
  Beng: 'Bengali',
  Bopo: 'Bopomofo',
  Cyrl: 'Cyrillic',
  Deva: 'Devanagari',
  Ethi: 'Ethiopic',
  Geor: 'Georgian',
  Grek: 'Greek',
  Gujr: 'Gujarati',
  Guru: 'Gurmukhi',
  Hang: 'Hangul',
  Hani: 'Han',
  Hebr: 'Hebrew',
  Hira: 'Hiragana',
  Kana: 'Katakana',
  Khmr: 'Khmer',
  Knda: 'Kannada',
  Laoo: 'Lao',
  Latn: 'Latin',
  Mlym: 'Malayalam',
  Mong: 'Mongolian',
  Mymr: 'Myanmar',
  Orya: 'Oriya',
  Qaai: 'Inherited',
  Sinh: 'Sinhala',
  Syrc: 'Syriac',
  Taml: 'Tamil',
  Telu: 'Telugu',
  Thaa: 'Thaana',
  Tibt: 'Tibetan',
  Zinh: 'Inherited',
  Zyyy: 'Common',
};
