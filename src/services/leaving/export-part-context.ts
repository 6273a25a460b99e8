import type { SealContext } from '../../kit/crypto/cipher';

/** The sealing context of a part of an archive. `partId`: the export and the number of the part. */
export function exportPartContext(partId: string): SealContext {
  const [exportId = '', number = ''] = partId.split(' ');
  return { purpose: 'account-export', export_id: exportId, part: number };
}
