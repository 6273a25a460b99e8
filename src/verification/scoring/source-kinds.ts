import type { ForeignSourceFact } from '../../domain/evidence/evidence-facts';

/** What each kind of source does, and so why it counts; the host or the packages follow. */
export const SOURCE_KINDS: Record<ForeignSourceFact['kind'], string> = {
  package: 'the lockfile installs packages from',
  index: 'packages are installed from',
  extra_index: 'packages are also looked for on',
  other_package: 'the lockfile, which a build trusts more than the manifest, installs',
  alias: 'a popular name installs another package:',
  override: 'an override replaces a package that others need:',
  address: 'a package comes from an address that no registry watches,',
  unencrypted: 'anybody on the way can exchange a package, because it travels without encryption:',
  scope: 'the scope has a registry of its own, and the lockfile took the name',
};
