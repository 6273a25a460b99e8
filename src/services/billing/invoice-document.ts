import { billedToLines, countryName } from '../../domain/billing/billing-details';
import { type Paper, paperName, reasonText, taxNote } from '../../domain/billing/paper';
import { type Issuer, linesOfPart, taxLineName } from '../../domain/billing/tax';
import { taxNumberName } from '../../domain/billing/tax-number';
import { dayOf } from '../../domain/instant';
import { minorText, unitsToCredits } from '../../domain/ledger/money';
import type { DocumentPart, DocumentTable, PrintedDocument } from '../../kit/documents/document';

/** Lines of the letterhead when no issuer is set: name, address, tax number. */
type Letterhead = readonly string[];

/** An invoice or a note, before it is set on pages. Equal facts give equal documents. */
export function paperDocument(paper: Paper, letterhead: Letterhead): PrintedDocument {
  return {
    title: paperName(paper),
    issuer: paper.issuer ? issuerLines(paper.issuer) : letterhead,
    at: paper.issuedAt,
    parts: [
      { kind: 'facts', rows: factsOf(paper) },
      { kind: 'lines', title: 'Billed to', lines: billedToLines(paper.billedTo, paper.userId) },
      tableOf(paper),
      ...notesOf(paper).map((text): DocumentPart => ({ kind: 'text', text })),
    ],
  };
}

/** The letterhead of an issuer. */
export function issuerLines(issuer: Issuer): string[] {
  const { name, address, country, tax_number: taxNumber, registration_number: registration, email } = issuer;
  return [
    name,
    ...address.split('\n'),
    countryName(country),
    ...(taxNumber === undefined ? [] : [`${taxNumberName(country)} ${taxNumber}`]),
    ...(registration === undefined ? [] : [registration]),
    email,
  ];
}

function factsOf({ kind, number, issuedAt, id, topupId, about, billedTo }: Paper): [string, string][] {
  return [
    [kind === 'invoice' ? 'Invoice number' : 'Number', number],
    ['Issued', dayOf(issuedAt)],
    ...(about ? [['Of invoice', `${about.number} of ${dayOf(about.issuedAt)}`] as [string, string]] : []),
    ...(billedTo.reference === undefined ? [] : [['Your reference', billedTo.reference] as [string, string]]),
    [kind === 'invoice' ? 'Invoice id' : 'Id', id],
    ['Top-up', topupId],
  ];
}

function tableOf({ amountMinor, taxMinor, amountUnits, currency, tax }: Paper): DocumentTable {
  const money = (minor: number) => `${currency} ${minorText(minor)}`;
  const credits = String(unitsToCredits(amountUnits));
  const taxes = tax && tax.treatment === 'taxed' ? linesOfPart(tax.lines, taxMinor) : [];
  return {
    kind: 'table',
    columns: [
      { title: 'Description', share: 3 },
      { title: 'Amount', share: 1, right: true },
    ],
    rows: [
      [`${credits} marketplace credits (top-up)`, money(amountMinor - taxMinor)],
      ...taxes.map((line) => [taxLineName(line), money(line.amount_minor)]),
    ],
    total: ['Total', money(amountMinor)],
  };
}

const ENDS = { invoice: 'Paid in full.', credit: 'Paid back.', debit: 'Paid in full.' } as const;

function notesOf(paper: Paper): string[] {
  const { kind, status, tax } = paper;
  const end =
    status === 'paid' ? ENDS[kind] : 'SANDBOX: no money was paid. This is not a demand for payment.';
  return [reasonText(paper), taxNote(tax), end].filter((text) => text !== null);
}
