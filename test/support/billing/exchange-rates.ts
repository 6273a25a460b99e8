/** The daily document of the European Central Bank, and a server of it, as public sources give it. */
import { referenceTime } from '../../../src/domain/payouts/exchange-rate';
import type { Behaviour } from '../agents/behaviours';

/** `YYYY-MM-DD`, so many days before today. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

export function timeOf(date: string): string {
  return referenceTime(date)?.toISOString() ?? '';
}

/** `eurofxref-daily.xml`, with some of its thirty currencies. */
export function ecbDocument(date: string, rates: Record<string, string>): string {
  const cubes = Object.entries({ JPY: '163.11', GBP: '0.83488', ...rates })
    .map(([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${date}'>
${cubes}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>`;
}

/** The behaviour of a server that answers with this document. */
export function serves(text: string, contentType = 'text/xml'): Behaviour {
  return { kind: 'stream', contentType, parts: () => [text] };
}
