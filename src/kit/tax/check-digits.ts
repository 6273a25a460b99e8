/**
 * The check digits of European VAT numbers: by the library `stdnum`, and by rules here for the numbers of people in
 * Bulgaria, Czechia, Latvia and Slovakia, of which the library refuses some that are valid (ADR 0361).
 */
import { validate as austria } from 'stdnum/lib/cjs/at/uid';
import { validate as belgium } from 'stdnum/lib/cjs/be/vat';
import { validate as switzerland } from 'stdnum/lib/cjs/ch/uid';
import { validate as cyprus } from 'stdnum/lib/cjs/cy/vat';
import { validate as czechia } from 'stdnum/lib/cjs/cz/dic';
import { validate as germany } from 'stdnum/lib/cjs/de/vat';
import { validate as denmark } from 'stdnum/lib/cjs/dk/cvr';
import { validate as estonia } from 'stdnum/lib/cjs/ee/kmkr';
import { validate as spain } from 'stdnum/lib/cjs/es/nif';
import { validate as finland } from 'stdnum/lib/cjs/fi/alv';
import { validate as france } from 'stdnum/lib/cjs/fr/tva';
import { validate as britain } from 'stdnum/lib/cjs/gb/vat';
import { validate as greece } from 'stdnum/lib/cjs/gr/vat';
import { validate as croatia } from 'stdnum/lib/cjs/hr/oib';
import { validate as hungary } from 'stdnum/lib/cjs/hu/anum';
import { validate as ireland } from 'stdnum/lib/cjs/ie/vat';
import { validate as italy } from 'stdnum/lib/cjs/it/iva';
import { validate as lithuania } from 'stdnum/lib/cjs/lt/pvm';
import { validate as luxembourg } from 'stdnum/lib/cjs/lu/tva';
import { validate as latvia } from 'stdnum/lib/cjs/lv/pvn';
import { validate as malta } from 'stdnum/lib/cjs/mt/vat';
import { validate as netherlands } from 'stdnum/lib/cjs/nl/btw';
import { validate as norway } from 'stdnum/lib/cjs/no/orgnr';
import { validate as poland } from 'stdnum/lib/cjs/pl/nip';
import { validate as portugal } from 'stdnum/lib/cjs/pt/nif';
import { validate as romania } from 'stdnum/lib/cjs/ro/cui';
import { validate as sweden } from 'stdnum/lib/cjs/se/vat';
import { validate as slovenia } from 'stdnum/lib/cjs/si/ddv';

type Rule = (body: string) => boolean;
type Validate = (value: string) => { isValid: boolean };

const by =
  (validate: Validate): Rule =>
  (body) =>
    validate(body).isValid;

const RULES: Readonly<Record<string, Rule>> = {
  AT: by(austria),
  BE: by(belgium),
  BG: bulgaria,
  // The letters behind the nine digits say the language, and are not checked.
  CH: (body) => switzerland(`CH${body.slice(0, 10)}`).isValid,
  CY: by(cyprus),
  CZ: (body) => (body.length === 8 ? czechia(body).isValid : czechPerson(body)),
  DE: by(germany),
  DK: by(denmark),
  EE: by(estonia),
  ES: by(spain),
  FI: by(finland),
  FR: by(france),
  GB: by(britain),
  GR: by(greece),
  HR: by(croatia),
  HU: by(hungary),
  IE: by(ireland),
  IT: by(italy),
  LT: by(lithuania),
  LU: by(luxembourg),
  // The numbers of people say no birthday since 2017, and no rule for their last digit is published.
  LV: (body) => body.startsWith('32') || latvia(body).isValid,
  MT: by(malta),
  NL: by(netherlands),
  NO: (body) => norway(body.slice(0, 9)).isValid,
  PL: by(poland),
  PT: by(portugal),
  RO: by(romania),
  SE: by(sweden),
  SI: by(slovenia),
  SK: isMultipleOf11,
};

/** Whether the check digits of a VAT number fit; true for countries without a rule. `body`: without its prefix. */
export function checkDigitsFit(country: string, body: string): boolean {
  return RULES[country]?.(body) ?? true;
}

const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

/** Nine digits: a company. Ten: a person, a foreigner, or another payer, whose numbers have a rule each. */
function bulgaria(body: string): boolean {
  const last = Number(body.at(-1));
  if (body.length === 9) {
    const first = weighted(body, [1, 2, 3, 4, 5, 6, 7, 8]) % 11;
    return last === (first === 10 ? weighted(body, [3, 4, 5, 6, 7, 8, 9, 10]) % 11 : first) % 10;
  }
  return (
    last === (weighted(body, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 ||
    last === weighted(body, [21, 19, 17, 13, 11, 9, 7, 3, 1]) % 10 ||
    last === (11 - (weighted(body, [4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  );
}

/** Nine digits from before 1954 have no check digit, except those that begin with a 6. */
function czechPerson(body: string): boolean {
  if (body.length === 10) return isMultipleOf11(body);
  if (!body.startsWith('6')) return true;
  const sum = weighted(body.slice(1), [8, 7, 6, 5, 4, 3, 2]) % 11;
  return Number(body.at(-1)) === (sum + 8) % 10;
}

/** Also of birth numbers, whose last digit is 0 where a multiple of 11 would end with ten. */
function isMultipleOf11(body: string): boolean {
  return Number(body) % 11 === 0 || (body.endsWith('0') && Number(body.slice(0, -1)) % 11 === 10);
}
