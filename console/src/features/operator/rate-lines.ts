interface Rate {
  country: string;
  name: string;
  percent: number;
  reverse_charge: boolean;
}

/** Tax rates as lines: `FR VAT 20 reverse`. */
export const linesOfRates = (rates: readonly Rate[]): string =>
  rates
    .map(({ country, name, percent, reverse_charge: isReverse }) =>
      [country, name, percent, ...(isReverse ? ['reverse'] : [])].join(' '),
    )
    .join('\n');

const LINE = /^([A-Za-z]{2}) (\S.{0,18}?) ([0-9]{1,3}(?:\.[0-9]{1,2})?)%?( reverse)?$/;

/** Reads such lines; undefined if one has another form. */
export function ratesOfLines(text: string): Rate[] | undefined {
  const rates: Rate[] = [];
  for (const line of text.split('\n').map((each) => each.trim().replaceAll(/ {2,}/g, ' '))) {
    if (line === '') continue;
    const [, country = '', name = '', percent = '', isReverse] = LINE.exec(line) ?? [];
    if (country === '') return undefined;
    rates.push({
      country: country.toUpperCase(),
      name,
      percent: Number(percent),
      reverse_charge: isReverse !== undefined,
    });
  }
  return rates;
}
