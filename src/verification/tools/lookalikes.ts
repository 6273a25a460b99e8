/** Letters of other scripts that look like Latin ones, for names. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'аɑα'],
    ['b', 'Ьƅв'],
    ['c', 'сϲⅽ'],
    ['d', 'ԁⅾ'],
    ['e', 'еєҽ'],
    ['g', 'ɡց'],
    ['h', 'һհн'],
    ['i', 'іıɩιⅰ'],
    ['j', 'јϳ'],
    ['k', 'кκ'],
    ['l', 'ӏⅼǀ'],
    ['m', 'мⅿ'],
    ['n', 'пռ'],
    ['o', 'оοօ'],
    ['p', 'рρ'],
    ['q', 'ԛգ'],
    ['r', 'гꭇ'],
    ['s', 'ѕʂ'],
    ['t', 'тτ'],
    ['u', 'υսц'],
    ['v', 'ѵνⅴ'],
    ['w', 'ԝѡω'],
    ['x', 'хχⅹ'],
    ['y', 'уγү'],
    ['z', 'ᴢ'],
  ].flatMap(([latin, others]) => [...others!].map((other) => [other, latin!])),
);

/** The name in Latin letters, as far as its letters look like them; in lower case, without accents and widths. */
export function latinOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
  return [...plain].map((letter) => LOOKALIKES[letter] ?? letter).join('');
}

/** What a reader takes a name for: the digits 0 and 1 count as the letters that they look like. */
export function lookOf(name: string): string {
  return latinOf(name).replaceAll(/[1|]/g, 'l').replaceAll('0', 'o').replaceAll('i', 'l');
}

/** True for a name that mixes Latin letters with others that look like them, or consists of such others alone. */
export function hasForeignLetters(name: string): boolean {
  const wide = name.normalize('NFKC') !== name && /[\uff01-\uff5e]/.test(name);
  const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
  const others = name.normalize('NFKC').replaceAll(/\p{Script=Latin}|\P{L}/gu, '');
  if (others === '') return wide;
  const mixes =
    /\p{Script=Latin}/u.test(name) &&
    /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u.test(others);
  return mixes || isAscii(latinOf(others));
}
