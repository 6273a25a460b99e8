/** Identities of an agent in registries of ERC-8004, which its manifest names (ADR 0344). */
import type { FieldProblem } from '../../../domain/errors';
import { asRecord } from '../../../domain/json-value';
import { checksummedAddress } from '../../../kit/crypto/evm-address';

const LARGEST = 2n ** 256n - 1n;
const NUMBER = /^[0-9]{1,78}$/;

/** The address of a registry with its checksum. Undefined for what is no address. */
export function checksummedRegistry(registry: string): string | undefined {
  const [namespace, chain, address = ''] = registry.split(':');
  const checksummed = checksummedAddress(address);
  return checksummed && `${namespace}:${chain}:${checksummed}`;
}

/** What the schema of the manifest cannot express. Values that it refuses have no problem here. */
export function identityProblems(manifest: Record<string, unknown>): FieldProblem[] {
  const given: unknown[] = Array.isArray(manifest.erc8004) ? manifest.erc8004 : [];
  const seen = new Set<string>();
  return given.flatMap((each, index) => {
    const { agent_id: id, registry } = asRecord(each);
    if (typeof id !== 'string' || typeof registry !== 'string' || !NUMBER.test(id)) return [];
    const place = (field: string) => ['erc8004', index, field];
    if (BigInt(id) > LARGEST) {
      return [
        { loc: place('agent_id'), msg: 'must be a uint256, below 2 to the power of 256', type: 'maximum' },
      ];
    }
    const whole = checksummedRegistry(registry);
    if (whole === undefined) {
      const msg = 'must end with a contract address; a mixed-case address must match its EIP-55 checksum';
      return /^eip155:[1-9][0-9]{0,15}:0x[0-9a-fA-F]{40}$/.test(registry)
        ? [{ loc: place('registry'), msg, type: 'checksum' }]
        : [];
    }
    const identity = `${whole} ${id}`;
    if (seen.has(identity)) return [{ loc: ['erc8004', index], msg: 'is named twice', type: 'duplicate' }];
    seen.add(identity);
    return [];
  });
}
