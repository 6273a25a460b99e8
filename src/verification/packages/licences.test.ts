import { judgeLicence } from './licences';

it.each([
  // By the matrix.
  ['MIT', 'Apache-2.0', 'compatible'],
  ['GPL-2.0-only', 'Apache-2.0', 'incompatible'],
  ['GPL-3.0-only', 'Apache-2.0', 'compatible'],
  ['GPL-2.0-only', 'GPL-3.0-or-later', 'incompatible'],
  ['GPL-3.0-or-later', 'GPL-2.0-or-later', 'compatible'],
  ['MIT', 'GPL-3.0-only', 'incompatible'],
  ['GPL-2.0-only', 'EPL-2.0', 'review'],
  ['GPL-3.0-only', 'BSD-4-Clause', 'incompatible'],
  // Ids of former times.
  ['GPL-3.0', 'GPL-2.0+', 'compatible'],
  ['GPL-2.0', 'LGPL-3.0', 'incompatible'],
  // A library stays one.
  ['MIT', 'LGPL-2.1-or-later', 'compatible'],
  ['Apache-2.0', 'MPL-2.0', 'compatible'],
  // Not in the matrix.
  ['MIT', 'CC0-1.0', 'compatible'],
  ['MIT-0', 'ISC', 'compatible'],
  ['GPL-2.0-only', 'BlueOak-1.0.0', 'compatible'],
  ['MIT', 'SSPL-1.0', 'incompatible'],
  ['Apache-2.0', 'BUSL-1.1', 'incompatible'],
  ['MIT', 'Glulxe', 'review'],
  // Kept closed.
  [null, 'MIT', 'compatible'],
  [null, 'MPL-2.0', 'compatible'],
  [null, 'GPL-3.0-only', 'review'],
  [null, 'AGPL-3.0-only', 'incompatible'],
  ['UNLICENSED', 'GPL-2.0-only', 'review'],
  // Choices, on both sides.
  ['MIT', 'GPL-3.0-only OR MIT', 'compatible'],
  ['MIT', 'GPL-3.0-only AND MIT', 'incompatible'],
  ['MIT OR GPL-2.0-only', 'GPL-2.0-only', 'compatible'],
  ['MIT', 'see the file', 'review'],
  ['MIT', 'SEE LICENSE IN MIT.txt', 'review'],
  ['MIT', 'Commercial, not MIT', 'review'],
  // Names that packages of npm and PyPI use.
  ['MIT', 'Apache 2.0', 'compatible'],
  ['MIT', 'Apache License, Version 2.0', 'compatible'],
  ['MIT', 'MIT License', 'compatible'],
  ['MIT', 'The MIT License (MIT)', 'compatible'],
  ['MIT', 'BSD-3', 'compatible'],
  ['MIT', 'New BSD License', 'compatible'],
  ['MIT', 'ISC License', 'compatible'],
  ['MIT', 'GPLv3', 'incompatible'],
  ['MIT', 'GNU GPL v2', 'incompatible'],
  ['MIT', 'LGPLv2.1', 'compatible'],
  ['MIT', 'MPL 2.0', 'compatible'],
  ['MIT', 'AGPLv3', 'incompatible'],
  ['MIT', 'Unlicense', 'compatible'],
  // An exception adds permissions.
  ['MIT', 'GPL-2.0-only WITH Classpath-exception-2.0', 'compatible'],
  ['MIT', 'GPL-2.0 WITH Classpath-exception-2.0', 'compatible'],
  ['MIT', 'GPL-2.0 WITH Classpath-exception', 'compatible'],
  ['MIT', 'GPLv2 with Classpath exception', 'compatible'],
  ['MIT', 'GPL-3.0-or-later WITH GCC-exception-3.1', 'compatible'],
  [null, 'GPL-3.0-or-later WITH GCC-exception-3.1', 'compatible'],
  ['GPL-2.0-only', 'Apache-2.0 WITH LLVM-exception', 'compatible'],
  ['MIT', 'Apache-2.0 WITH LLVM-exception', 'compatible'],
  ['MIT', 'AGPL-3.0-only WITH Classpath-exception-2.0', 'compatible'],
  ['MIT', '(GPL-2.0-only WITH Classpath-exception-2.0) AND GPL-3.0-only', 'incompatible'],
  ['MIT', 'GPL-2.0-only WITH Asterisk-exception', 'review'],
  ['MIT', 'GPL-2.0 with some exception', 'review'],
  ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-only', 'compatible'],
])('under %s a package under %s is %s', (own, licence, verdict) => {
  expect(judgeLicence(own, licence)).toBe(verdict);
});
