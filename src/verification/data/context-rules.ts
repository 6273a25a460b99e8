/** Secrets that their context shows: keys of wallets, elements of XML, headers, cells of tables. */
import type { SecretRule } from './secret-rule';

const wallet = (id: string, description: string, regex: string, keywords: string[], path?: string): SecretRule => ({
  id, description, regex, keywords, entropy: 3, ...(path !== undefined && { path }),
}); // prettier-ignore
const guess = (id: string, description: string, regex: string, keywords: string[], entropy = 3): SecretRule => ({
  id, description, regex, keywords, entropy, isGuess: true, isInText: true,
}); // prettier-ignore

const KEY = '(?:0x)?[0-9a-fA-F]{64}';
const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

export const CONTEXT_RULES: readonly SecretRule[] = [
  wallet('wallet-private-key', 'Private key of a wallet', `(?i)(?:(?:private|priv|deployer|signer|wallet|owner|minter)_?(?:private_?)?key["'\\]]{0,2}\\s{0,3}(?:=|:|=>|,)\\s{0,3}["'\`]?|(?:\\bWallet|\\bfrom_key|privateKeyToAccount|fromPrivateKey|privateKeyToAddress)\\s{0,3}\\(\\s{0,9}["'\`]|--private-key[= ]["']?|\\baccounts\\s?:\\s?\\[\\s{0,20}["'\`])(${KEY})(?:["'\`\\s,;)\\]]|$)`, ['key', 'wallet', 'accounts', 'privatekey']),
  wallet('wallet-import-key', 'Private key of a wallet of Bitcoin', `(?:^|[^A-Za-z0-9])([5KL]${BASE58}{50,51})(?:[^A-Za-z0-9]|$)`, ['wif', 'key', 'wallet', 'bitcoin', 'btc', 'secret']),
  wallet('wallet-extended-key', 'Extended private key of a wallet', `(?:^|[^A-Za-z0-9])([xyzt]prv${BASE58}{100,112})(?:[^A-Za-z0-9]|$)`, ['xprv', 'yprv', 'zprv', 'tprv']),
  wallet('wallet-key-numbers', 'Private key of a wallet of Solana', '(\\[\\s{0,9}(?:\\d{1,3}\\s{0,9},\\s{0,9}){63}\\d{1,3}\\s{0,9}\\])', ['['], '(?i)(?:^|/)(?:id|[\\w.-]{0,60}(?:key|keypair|wallet|payer|deployer)[\\w.-]{0,40})\\.json$'),
  wallet('wallet-key-text', 'Private key of a wallet of Solana', `(?i:secret_?key|private_?key|keypair|fromSecretKey)[^\\n]{0,60}["'\`](${BASE58}{86,88})["'\`]`, ['secretkey', 'secret_key', 'privatekey', 'private_key', 'keypair']),
  wallet('wallet-words', 'Words of a wallet', '(?i:mnemonic|seed_?phrase|recovery_?phrase|secret_?phrase|backup_?phrase|fromPhrase|fromMnemonic|seed_?words)\\w{0,12}["\'\\])]{0,2}\\s{0,3}[=:(,]\\s{0,3}["\'`]?((?:[a-z]{3,8} ){11}(?:[a-z]{3,8} ){0,12}[a-z]{3,8})(?:["\'`\\r\\n]|\\s*$)', ['mnemonic', 'phrase', 'seed']),
  guess('element-with-secret', 'Secret in an element', '(?i)<(?:[\\w-]{1,40}[:.-])?(?:\\w{0,30}(?:password|passwd|passphrase|secret|api_?-?key|access_?-?key|private_?-?key|token))>\\s{0,9}([^\\s<>{}$%]{12,300})\\s{0,9}</', ['password>', 'passwd>', 'passphrase>', 'secret>', 'key>', 'token>'], 3.2),
  guess('entry-with-secret', 'Secret in an entry of a list of properties', '(?i)<key>[^<\\n]{0,60}(?:password|secret|token|api_?key|access_?key)</key>\\s{0,60}<string>([^\\s<>{}$%]{16,300})</string>', ['</key>'], 3.2),
  guess('header-with-key', 'Key in a header', '(?i)["\'](?:x-)?(?:[\\w-]{0,30}(?:api-key|auth-token|access-token|auth-key|subscription-key))["\']?\\s{0,3}[:,]\\s{0,3}["\']?([A-Za-z0-9_.-]{20,200})["\']', ['-key', '-token'], 3),
  guess('key-by-its-name', 'Key beside its name', '(?i)\\b[\\w.-]{0,40}(?:api_?-?key|access_?-?key|auth_?-?token|access_?-?token|api_?-?token|client_?-?secret|secret_?-?key)["\'\\]]{0,2}\\s{0,3}(?:=|:|=>|,)\\s{0,3}["\'`]([A-Za-z0-9_-]{0,127}\\d[A-Za-z0-9_-]{23,127})["\'`]', ['key', 'token', 'secret'], 3),
]; // prettier-ignore
