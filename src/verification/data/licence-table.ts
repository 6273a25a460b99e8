/**
 * Licences that the matrix of OSADL (osadl/osadl-matrix.csv) does not name, and what it does not tell, by SPDX id: an
 * own, small table after the Free Software Foundation's "Various Licenses and Comments about Them" and the texts of
 * the licences. It is no legal advice, and so is what comes of it. What neither names is for a person to look at.
 */

/** Keep the notice. */
export const PERMISSIVE: ReadonlySet<string> = new Set([
  'BlueOak-1.0.0',
  'BSD-3-Clause-Clear',
  'CC-BY-4.0',
  'CC0-1.0',
  'JSON',
  'MIT-0',
  'ODC-By-1.0',
  'OFL-1.1',
  'PSF-2.0',
  'Python-2.0.1',
  'TCL',
  'Unicode-3.0',
  'ZPL-2.1',
]);

/**
 * Changes of the library itself stay open; what uses it as a library may be under any licence. The matrix tells of code
 * that becomes part of a work, and a package of a lockfile stays a library.
 */
export const LIBRARY: ReadonlySet<string> = new Set([
  'CC-BY-SA-3.0',
  'CC-BY-SA-4.0',
  'CDDL-1.0',
  'CDDL-1.1',
  'CPL-1.0',
  'EPL-1.0',
  'EPL-2.0',
  'EUPL-1.1',
  'EUPL-1.2',
  'IPL-1.0',
  'LGPL-2.0-only',
  'LGPL-2.0-or-later',
  'LGPL-2.1-only',
  'LGPL-2.1-or-later',
  'LGPL-3.0-only',
  'LGPL-3.0-or-later',
  'MPL-1.1',
  'MPL-2.0',
  'MPL-2.0-no-copyleft-exception',
  'MS-PL',
  'MS-RL',
]);

/** Users over a network must get the source of the whole. */
export const NETWORK: ReadonlySet<string> = new Set([
  'AGPL-1.0-only',
  'AGPL-1.0-or-later',
  'AGPL-3.0-only',
  'AGPL-3.0-or-later',
  'CPAL-1.0',
  'OSL-3.0',
  'RPL-1.5',
  'SSPL-1.0',
]);

/** No use for money, no use as a service, or no changes. */
export const RESTRICTED: ReadonlySet<string> = new Set([
  'BUSL-1.1',
  'CC-BY-NC-3.0',
  'CC-BY-NC-4.0',
  'CC-BY-NC-ND-4.0',
  'CC-BY-NC-SA-3.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-ND-4.0',
  'Elastic-2.0',
  'PolyForm-Noncommercial-1.0.0',
  'PolyForm-Small-Business-1.0.0',
  'Parity-7.0.0',
  'Prosperity-3.0.0',
]);
