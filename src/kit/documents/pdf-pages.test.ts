import { inflateSync } from 'node:zlib';
import { getDocumentProxy } from 'unpdf';
import { textOfPdf } from '../../../test/support/documents/pdf';
import type { PrintedDocument } from './document';
import { writePdf } from './pdf-pages';

const printed = (lines: readonly string[]): PrintedDocument => ({
  title: 'Invoice SBX-2026-000004',
  issuer: ['Agent Marketplace', '1 Example Street'],
  at: new Date('2026-11-25'),
  parts: [{ kind: 'lines', title: 'Billed to', lines }],
});

const NAMES = {
  'Latin Extended': 'Željka Đorđević, Łódź, Nguyễn Thị',
  Cyrillic: 'Жукова Ольга, Їжак',
  Greek: 'Ελένη Παπαδοπούλου',
  Chinese: '山田太郎股份有限公司',
  Japanese: 'さくら株式会社',
  Korean: '한국어주식회사',
  Thai: 'ไทย',
  currencies: '₹ € £ ₪',
};

/** What the pages of a file draw: its packed streams. */
function drawnIn(file: Buffer): string {
  const text = file.toString('latin1');
  const begins = [...text.matchAll(/\/FlateDecode\n>>\nstream\n/g)].map(
    ({ index, 0: { length } }) => index + length,
  );
  return begins.map((from) => inflateSync(file.subarray(from)).toString('latin1')).join('\n');
}

/** The letters of each line that stands between the edges of its page. */
async function lettersOnPages(file: Buffer): Promise<string> {
  const pdf = await getDocumentProxy(new Uint8Array(file));
  const lines: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    for (const item of items)
      if ('str' in item && Number(item.transform[5]) > 40) lines.push(item.str.replaceAll(/\s/g, ''));
  }
  return lines.join('');
}

describe('a document', () => {
  it.each(Object.entries(NAMES))('has names in %s, as they were written', async (_script, name) => {
    expect(await textOfPdf(await writePdf(printed([name])))).toContain(name);
  });

  it.each([
    ['Arabic', 'شركة تحليل البيانات'],
    ['Hebrew', 'חברת ערב טוב'],
  ])('has each word of a name in %s, from right to left', async (_script, name) => {
    const text = await textOfPdf(await writePdf(printed([name])));
    const letters = (words: string) => words.normalize('NFKC').replaceAll(/\s/g, '');
    expect(letters(text)).toContain(letters(name));
  });

  it('says what the letters of Devanagari are, whose shapes stand in another order', async () => {
    const bytes = await writePdf(printed(['हिन्दी']));
    const letters = Buffer.from('हिन्दी', 'utf16le').swap16().toString('latin1');
    expect(drawnIn(bytes).replaceAll('\\', '')).toContain(
      `/ActualText (\xfe\xff${letters.replaceAll('\t', 't')})`,
    );
  });

  it('writes a character that no font has as its code point, never as a question mark', async () => {
    const text = await textOfPdf(await writePdf(printed(['a\u{10ffff}b', 'Tab\there', 'x\u202ey'])));
    expect(text).toContain('a[U+10FFFF]b');
    expect(text).toContain('Tab here');
    expect(text).toContain('xy');
    expect(text).not.toContain('?');
  });

  it('is the same bytes for the same facts', async () => {
    const [one, other] = await Promise.all([writePdf(printed(['Ada'])), writePdf(printed(['Ada']))]);
    expect(one.equals(other)).toBe(true);
    expect(one.toString('latin1')).not.toMatch(/Courier|Helvetica/);
  });

  it('goes on to the next page, with the titles of its table and numbers at the foot', async () => {
    const rows = Array.from({ length: 120 }, (_, index) => [`row ${index}`, '1.00']);
    const columns = [
      { title: 'What', share: 3 },
      { title: 'Credits', share: 1, right: true },
    ];
    const bytes = await writePdf({
      ...printed([]),
      parts: [{ kind: 'table', columns, rows, total: ['Total', '120'] }],
    });
    const text = await textOfPdf(bytes);
    expect(rows.filter(([name = '']) => !text.includes(name))).toEqual([]);
    expect(text.match(/What\s+Credits/g)).toHaveLength(3);
    expect(text).toMatch(/1 of 3.*2 of 3.*3 of 3/s);
  });

  it.each([2_000, 20_000])('keeps a value of %i characters on its pages', async (length) => {
    const words = Array.from({ length: length / 10 }, (_, index) => `word${String(index).padStart(5, '0')}`);
    const before = Array.from({ length: 35 }, (_, index): [string, string] => [`name ${index}`, 'short']);
    const facts = { kind: 'facts', rows: [...before, ['Reason', words.join(' ')]] } as const;
    const columns = [
      { title: 'What', share: 1 },
      { title: 'Why', share: 1 },
    ];
    const table = { kind: 'table', columns, rows: [...before, ['cell', words.join(' ')]] } as const;
    for (const part of [facts, table]) {
      const letters = await lettersOnPages(await writePdf({ ...printed([]), parts: [part] }));
      expect(words.filter((word) => !letters.includes(word))).toEqual([]);
    }
  });

  it('breaks a word that is longer than a line', async () => {
    const text = await textOfPdf(await writePdf(printed(['x'.repeat(400)])));
    expect(text.match(/x/g)).toHaveLength(401); // and that of "Example"
  });
});
