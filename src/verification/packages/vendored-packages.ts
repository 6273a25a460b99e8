/** Packages that the bundle itself contains: `node_modules`, and the metadata of installed Python packages. */
import { parseJson } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { asRecord } from '../../domain/json-value';
import type { SourceFile } from '../bundles/source-file';
import { asText, createPackageList, type KnownPackage } from './package-facts';

const NODE = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;
const PYTHON = /\.(?:dist-info\/METADATA|egg-info\/PKG-INFO)$/;

/**
 * Lists the packages of third-party folders; each counts as a production dependency. `unreadable`: packages without a
 * name or version that can be read.
 */
export function vendoredPackages(texts: readonly SourceFile[]): {
  packages: KnownPackage[];
  unreadable: number;
} {
  const packages: KnownPackage[] = [];
  let unreadable = 0;
  for (const { path, text, isForeign } of texts) {
    if (!isForeign) continue;
    const found = NODE.test(path) ? ofNode(text) : PYTHON.test(path) ? ofPython(text) : undefined;
    if (!found) continue;
    const list = createPackageList();
    list.add({ ...found, isDev: false });
    unreadable += list.unreadable;
    for (const one of list.packages) packages.push({ ...one, isDirect: false, path });
  }
  return { packages, unreadable };
}

/** Undefined for a folder that only holds settings, such as `{"type":"module"}`. */
function ofNode(text: string) {
  const parsed = parseJson(text);
  const { name, version } = asRecord(parsed);
  if (parsed !== undefined && name === undefined && version === undefined) return undefined;
  return { ecosystem: 'npm' as const, name: asText(name), version: asText(version) };
}

function ofPython(text: string) {
  const [, name] = /^Name:[ \t]*(\S+)/m.exec(text) ?? [];
  const [, version] = /^Version:[ \t]*(\S+)/m.exec(text) ?? [];
  return { ecosystem: 'PyPI' as const, name: name && normalName('PyPI', name), version };
}
