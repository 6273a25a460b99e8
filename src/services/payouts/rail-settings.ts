/** Reads the settings of a chain. Error messages name the setting and never its value, which may contain a key. */
import type { Config } from '../../config';
import type { Egress } from '../../egress/agent-call';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import { StartRefusal } from '../../kit/start-refusal';

/** USDC as deployed by its issuer on Base. Other tokens there are not USDC. */
const BASE = { network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };

type NameOf<T> = { [K in keyof Config]: Config[K] extends T ? K : never }[keyof Config];

/** Throws `Error` when one of the settings that a rail needs is empty. */
export function requireAll(config: Config, rail: string, names: readonly NameOf<string>[]): void {
  const missing = names.filter((name) => !config[name]);
  if (missing.length > 0) throw new StartRefusal(`${rail}=true needs ${missing.join(', ')}`);
}

/** The address of a token on a network, with its checksum. Throws `Error` for another token than USDC on Base. */
export function assetIn(config: Config, name: NameOf<string>, network: NameOf<string>): string {
  const asset = addressIn(config, name);
  if (config[network] === BASE.network && asset !== BASE.asset)
    throw new StartRefusal(`${name} is not USDC on ${network}=${BASE.network}`);
  return asset;
}

export function addressIn(config: Config, name: NameOf<string>): string {
  const address = checksummedAddress(config[name]);
  if (address === undefined) throw new StartRefusal(`${name} must be an EVM address`);
  return address;
}

export function wholeIn(config: Config, name: NameOf<number>, least: number, most: number): number {
  const value = config[name];
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new StartRefusal(`${name} must be a whole number from ${least} to ${most}`);
}

/** A URL that egress may call. */
export function urlIn(config: Config, egress: Pick<Egress, 'checkUrl'>, name: NameOf<string>): string {
  const verdict = egress.checkUrl(config[name]);
  if (!verdict.ok) throw new StartRefusal(`${name} may not be called: ${verdict.rule}`);
  return config[name];
}
