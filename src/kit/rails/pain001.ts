/**
 * Writes ISO 20022 pain.001.001.09 customer credit transfers in USD: one group, one payment information, one transfer
 * per payee.
 */
import { minorText } from '../../domain/ledger/money';
import { bankText } from '../../domain/payouts/bank-text';
import { bankingDayFrom } from './banking-days';
import { bankName, firstDay, type RailBatch, type RailPayee, totalMinor } from './rail';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

const escapeXml = (value: string) => value.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
const tag = (name: string, content: string, attributes = '') => `<${name}${attributes}>${content}</${name}>`;
const leaf = (name: string, value: string) => tag(name, escapeXml(value));
const nameOf = (name: string) => leaf('Nm', bankName(name, 70));

/** Returns the bytes of the document. */
export function writePain001(batch: RailBatch): Buffer {
  const { fileId, payer, payees } = batch;
  const day = firstDay(batch);
  const count = leaf('NbOfTxs', String(payees.length));
  const sum = leaf('CtrlSum', minorText(totalMinor(payees)));
  const name = nameOf(payer.companyName);
  const header = tag(
    'GrpHdr',
    leaf('MsgId', fileId) +
      leaf('CreDtTm', day.toISOString().slice(0, 19)) +
      count +
      sum +
      tag('InitgPty', name),
  );
  const payment = tag(
    'PmtInf',
    leaf('PmtInfId', fileId) +
      leaf('PmtMtd', 'TRF') +
      leaf('BtchBookg', 'true') +
      count +
      sum +
      tag('ReqdExctnDt', leaf('Dt', bankingDayFrom(day).toISOString().slice(0, 10))) +
      tag('Dbtr', name) +
      tag(
        'DbtrAcct',
        tag('Id', tag('Othr', leaf('Id', bankText(payer.accountNumber, 34)))) + leaf('Ccy', 'USD'),
      ) +
      tag('DbtrAgt', tag('FinInstnId', leaf('BICFI', payer.bic))) +
      leaf('ChrgBr', 'SHAR') +
      payees.map(transfer).join(''),
  );
  const root = tag('Document', tag('CstmrCdtTrfInitn', header + payment), ` xmlns="${NAMESPACE}"`);
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`, 'utf8');
}

function transfer({ payoutId, amountMinor, details }: RailPayee): string {
  const endToEnd = payoutId.slice(4);
  const town = bankText(details['town'] ?? '', 35);
  const account = details['iban']
    ? leaf('IBAN', details['iban'])
    : tag('Othr', leaf('Id', details['account_number'] ?? ''));
  return tag(
    'CdtTrfTxInf',
    tag('PmtId', leaf('InstrId', endToEnd) + leaf('EndToEndId', endToEnd)) +
      tag('Amt', tag('InstdAmt', minorText(amountMinor), ' Ccy="USD"')) +
      tag('CdtrAgt', tag('FinInstnId', leaf('BICFI', details['bic'] ?? ''))) +
      tag(
        'Cdtr',
        nameOf(details['account_holder_name'] ?? '') +
          tag('PstlAdr', (town && leaf('TwnNm', town)) + leaf('Ctry', details['country'] ?? '')),
      ) +
      tag('CdtrAcct', tag('Id', account)) +
      tag('RmtInf', leaf('Ustrd', `Payout ${endToEnd}`)),
  );
}
