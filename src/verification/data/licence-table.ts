/**
 * Licences that OSADL's matrix (osadl/osadl-matrix.csv) does not cover, by SPDX id: a small table based on the Free
 * Software Foundation's "Various Licenses and Comments about Them" and the licence texts. Neither the table nor its
 * verdicts are legal advice. Licences that neither source covers get the verdict `review`.
 */

/** Permissive: only the notice must be kept. */
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
 * Library copyleft: changes to the library itself must stay open, but works that use it may have any licence. OSADL's
 * matrix is about code that becomes part of a work, whereas a package in a lockfile stays a library.
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

/** Network copyleft: users over a network must get the source of the whole work. */
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

/** Restricted: no commercial use, no use as a service, or no changes. */
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
