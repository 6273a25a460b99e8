/** Packages that the bundle itself contains: `node_modules`, and the metadata of installed Python packages. */
import { parseJson } from '../../kit/packages/config-files';
import { normalName } from '../../kit/packages/package-versions';
import { asRecord } from '../../domain/json-value';
import type { SourceFile } from '../bundles/source-file';
import { asText, isPackage, type KnownPackage } from './package-facts';

const NODE = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;
const PYTHON = /\.(?:dist-info\/METADATA|egg-info\/PKG-INFO)$/;

/** Lists the packages of third-party folders; each counts as a production dependency. */
export function vendoredPackages(texts: readonly SourceFile[]): KnownPackage[] {
  return texts.flatMap(({ path, text, isForeign }): KnownPackage[] => {
    if (!isForeign) return [];
    if (NODE.test(path)) {
      const { name, version } = asRecord(parseJson(text));
      return packageOf('npm', asText(name), asText(version), path);
    }
    if (!PYTHON.test(path)) return [];
    const [, name] = /^Name:[ \t]*(\S+)/m.exec(text) ?? [];
    const [, version] = /^Version:[ \t]*(\S+)/m.exec(text) ?? [];
    return packageOf('PyPI', name && normalName('PyPI', name), version, path);
  });
}

function packageOf(
  ecosystem: 'npm' | 'PyPI',
  name: string | undefined,
  version: string | undefined,
  path: string,
): KnownPackage[] {
  if (name === undefined || version === undefined || !isPackage(name, version)) return [];
  return [{ ecosystem, name, version, isDev: false, isDirect: false, path }];
}
