/**
 * Writes invoices and notes as electronic invoices of the European norm EN 16931, by the library `@e-invoice-eu/core`:
 * as UBL 2.1, and as the CII that Factur-X embeds in a PDF (ADR 0369).
 */
import type { Invoice, InvoiceService } from '@e-invoice-eu/core';
import { type Paper, reasonText, taxNote } from '../../domain/billing/paper';
import type { Issuer, TaxTerms } from '../../domain/billing/tax';
import { hasVatNumbers } from '../../domain/billing/tax-number';
import { dayOf } from '../../domain/instant';
import { minorText, unitsToCredits } from '../../domain/ledger/money';

export type XmlFormat = 'UBL' | 'CII';

/** UNTDID 1001: commercial invoice, credit note, debit note. */
const TYPE_CODES = { invoice: '380', credit: '381', debit: '383' } as const;
const NORM = 'urn:cen.eu:en16931:2017';
/** The scheme of email addresses among the electronic addresses of the norm. */
const EMAIL = 'EM';

let service: InvoiceService | undefined;

/** The service of the library. It is loaded with the first document, because it is large. */
async function loaded(): Promise<InvoiceService> {
  const { InvoiceService: Service } = await import('@e-invoice-eu/core');
  const silent = () => undefined;
  service ??= new Service({ log: silent, warn: silent, error: silent });
  return service;
}

/** Writes a document as XML. Throws `Error` for a document without an issuer: the norm needs its name and country. */
export async function writeEInvoice(paper: Paper, format: XmlFormat): Promise<string> {
  const { issuer } = paper;
  if (!issuer) throw new Error(`${paper.number} has no issuer`);
  const invoice = { 'ubl:Invoice': invoiceOf(paper, issuer) } as unknown as Invoice;
  const written = await (await loaded()).generate(invoice, { format, lang: 'en', noWarnings: true });
  return typeof written === 'string' ? written : Buffer.from(written).toString('utf8');
}

function invoiceOf(paper: Paper, issuer: Issuer) {
  const { billedTo, about, tax, currency } = paper;
  const category = categoryOf(tax);
  const notes = [
    reasonText(paper),
    taxNote(tax),
    paper.status === 'sandbox' ? 'SANDBOX: no money was paid.' : null,
  ].filter((text) => text !== null);
  const reference = billedTo.reference === undefined ? undefined : xmlText(billedTo.reference);
  return {
    'cbc:CustomizationID': NORM,
    'cbc:ID': paper.number,
    'cbc:IssueDate': dayOf(paper.issuedAt),
    'cbc:InvoiceTypeCode': TYPE_CODES[paper.kind],
    ...(notes.length > 0 && { 'cbc:Note': [notes.join(' ')] }),
    'cbc:DocumentCurrencyCode': currency,
    ...(reference !== undefined && {
      'cbc:BuyerReference': reference,
      'cac:OrderReference': { 'cbc:ID': reference },
    }),
    ...(about && {
      'cac:BillingReference': [
        {
          'cac:InvoiceDocumentReference': {
            'cbc:ID': about.number,
            'cbc:IssueDate': dayOf(about.issuedAt),
          },
        },
      ],
    }),
    'cac:AccountingSupplierParty': { 'cac:Party': sellerOf(issuer, category) },
    'cac:AccountingCustomerParty': { 'cac:Party': buyerOf(paper, category) },
    // The credits are there when the document is issued.
    'cac:Delivery': { 'cbc:ActualDeliveryDate': dayOf(paper.issuedAt) },
    ...totalsOf(paper, category),
    'cac:InvoiceLine': [lineOf(paper, category)],
  };
}

interface Category {
  /** UNTDID 5305, as far as the norm has it. */
  code: 'S' | 'Z' | 'AE' | 'O';
  percent: string | undefined;
  exemption: { 'cbc:TaxExemptionReasonCode': string; 'cbc:TaxExemptionReason': string } | undefined;
}

function categoryOf(tax: TaxTerms | null): Category {
  if (tax?.treatment === 'taxed') {
    const percent = String(tax.basis_points / 100);
    return { code: tax.basis_points > 0 ? 'S' : 'Z', percent, exemption: undefined };
  }
  const isReverse = tax?.treatment === 'reverse_charge';
  return {
    code: isReverse ? 'AE' : 'O',
    percent: isReverse ? '0' : undefined,
    exemption: {
      'cbc:TaxExemptionReasonCode': isReverse ? 'VATEX-EU-AE' : 'VATEX-EU-O',
      'cbc:TaxExemptionReason': isReverse ? 'Reverse charge' : 'Not subject to VAT',
    },
  };
}

/** Documents that are not subject to VAT must name no VAT number; a seller is then known by another number. */
function sellerOf(issuer: Issuer, { code }: Category) {
  const { name, address, country, tax_number: taxNumber, registration_number: registration, email } = issuer;
  const isVat = taxNumber !== undefined && hasVatNumbers(country);
  const isNamed = taxNumber !== undefined && code !== 'O';
  const number = registration ?? (isVat && code !== 'O' ? undefined : taxNumber);
  return {
    ...endpointOf(email),
    'cac:PostalAddress': addressOf(address, country),
    ...(isNamed && {
      'cac:PartyTaxScheme': [
        { 'cbc:CompanyID': taxNumber, 'cac:TaxScheme': { 'cbc:ID': isVat ? 'VAT' : 'GST' } },
      ],
    }),
    'cac:PartyLegalEntity': {
      'cbc:RegistrationName': xmlText(name),
      ...(number !== undefined && { 'cbc:CompanyID': xmlText(number) }),
    },
    'cac:Contact': { 'cbc:Name': xmlText(name), 'cbc:ElectronicMail': xmlText(email) },
  };
}

function buyerOf({ billedTo, tax, issuer, userId }: Paper, { code }: Category) {
  const { name, email, company, address = '', country, tax_number: taxNumber } = billedTo;
  const at = country ?? tax?.country ?? issuer?.country ?? '';
  const isVat = taxNumber !== undefined && hasVatNumbers(at) && code !== 'O';
  return {
    ...endpointOf(email),
    'cac:PartyIdentification': { 'cbc:ID': userId },
    'cac:PostalAddress': addressOf(address, at),
    ...(isVat && {
      'cac:PartyTaxScheme': { 'cbc:CompanyID': taxNumber, 'cac:TaxScheme': { 'cbc:ID': 'VAT' } },
    }),
    'cac:PartyLegalEntity': {
      'cbc:RegistrationName': xmlText(company ?? name),
      ...(taxNumber !== undefined && !isVat && { 'cbc:CompanyID': taxNumber }),
    },
    'cac:Contact': { 'cbc:Name': xmlText(name), 'cbc:ElectronicMail': xmlText(email) },
  };
}

const endpointOf = (email: string) => ({
  'cbc:EndpointID': xmlText(email),
  'cbc:EndpointID@schemeID': EMAIL,
});

/** The norm has three lines of an address before the city; the last one takes the rest. */
function addressOf(address: string, country: string) {
  const [first = '', second = '', ...rest] = address
    .split('\n')
    .map((line) => (line === '' ? '' : xmlText(line)));
  return {
    ...(first.trim() !== '' && { 'cbc:StreetName': first }),
    ...(second.trim() !== '' && { 'cbc:AdditionalStreetName': second }),
    ...(rest.length > 0 && { 'cac:AddressLine': { 'cbc:Line': rest.join(', ') } }),
    'cac:Country': { 'cbc:IdentificationCode': country === 'XK' ? '1A' : country },
  };
}

const amount = (name: string, minor: number, currency: string) => ({
  [`cbc:${name}`]: minorText(minor),
  [`cbc:${name}@currencyID`]: currency,
});

const schemeOf = ({ code, percent }: Category) => ({
  'cbc:ID': code,
  ...(percent !== undefined && { 'cbc:Percent': percent }),
});

/** What was paid is subtracted, so that nothing is left to pay. */
function totalsOf({ amountMinor, taxMinor, currency }: Paper, category: Category) {
  const of = (name: string, minor: number) => amount(name, minor, currency);
  const net = amountMinor - taxMinor;
  return {
    'cac:TaxTotal': [
      {
        ...of('TaxAmount', taxMinor),
        'cac:TaxSubtotal': [
          {
            ...of('TaxableAmount', net),
            ...of('TaxAmount', taxMinor),
            'cac:TaxCategory': {
              ...schemeOf(category),
              ...category.exemption,
              'cac:TaxScheme': { 'cbc:ID': 'VAT' },
            },
          },
        ],
      },
    ],
    'cac:LegalMonetaryTotal': {
      ...of('LineExtensionAmount', net),
      ...of('TaxExclusiveAmount', net),
      ...of('TaxInclusiveAmount', amountMinor),
      ...of('PrepaidAmount', amountMinor),
      ...of('PayableAmount', 0),
    },
  };
}

function lineOf({ amountMinor, taxMinor, amountUnits, currency, topupId }: Paper, category: Category) {
  const net = amountMinor - taxMinor;
  return {
    'cbc:ID': '1',
    'cbc:InvoicedQuantity': '1',
    'cbc:InvoicedQuantity@unitCode': 'C62',
    ...amount('LineExtensionAmount', net, currency),
    'cac:Item': {
      'cbc:Description': `Top-up ${topupId}`,
      'cbc:Name': `${unitsToCredits(amountUnits)} marketplace credits`,
      'cac:ClassifiedTaxCategory': { ...schemeOf(category), 'cac:TaxScheme': { 'cbc:ID': 'VAT' } },
    },
    'cac:Price': amount('PriceAmount', net, currency),
  };
}

/** A text without the characters that XML cannot contain, and not empty. */
function xmlText(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '').trim() || '-';
}
