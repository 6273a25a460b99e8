/**
 * Secrets that only their context or their checksum shows: wallets, XML, CSV, headers, documents; and what looks like
 * them. Values are made here from a fixed sequence. A third is `held` (`partOf`).
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SecretCase } from '../secrets';

const HEX = '0123456789abcdef';
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function random(seed: string, length: number, letters: string): string {
  let text = '';
  for (let at = 0; text.length < length; at += 1)
    for (const byte of createHash('sha256').update(`${seed} ${at}`).digest())
      if (text.length < length) text += letters[byte % letters.length] ?? '';
  return text;
}
const hex = (seed: string, length = 64) => random(seed, length, HEX);
const word = (seed: string, length = 32) => random(seed, length, LETTERS);

function base62(value: number): string {
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = (LETTERS[rest % 62] ?? '') + text;
  return text;
} // prettier-ignore
/** A token of GitHub or npm: its last six characters are a checksum. */
const checked = (prefix: string, seed: string) => {
  const body = word(seed, 30);
  return `${prefix}${body}${base62(crcOf(body))}`;
};
const crcOf = (text: string) => crc32Of(Buffer.from(text));
function crc32Of(bytes: Buffer): number {
  if (typeof crc32 === 'function') return crc32(bytes);
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = (BASE58[Number(rest % 58n)] ?? '') + text;
  return text;
} // prettier-ignore
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
/** A private key of Bitcoin as wallets export it. */
const wif = (seed: string) => {
  const body = Buffer.concat([Buffer.from([0x80]), Buffer.from(hex(seed), 'hex'), Buffer.from([1])]);
  return base58(Buffer.concat([body, sha(sha(body)).subarray(0, 4)]));
};
const PHRASE =
  'gravity machine north sort system female filter attitude volume fold club stay feature office ecology stable narrow fog';
const phrase = (count: number, from = 0) =>
  PHRASE.split(' ')
    .slice(from, from + count)
    .join(' ');

const secret = (name: string, path: string, text: string): SecretCase => ({
  name,
  path,
  text: `${text}\n`,
  is: 'secret',
});
const none = (name: string, path: string, text: string): SecretCase => ({
  name,
  path,
  text: `${text}\n`,
  is: 'none',
});

export const SECRETS_BY_CONTEXT: readonly SecretCase[] = [
  secret('key of a wallet in the environment', '.env', `PRIVATE_KEY=0x${hex('a')}`),
  secret('key of a wallet without its sign', '.env', `DEPLOYER_PRIVATE_KEY=${hex('b')}`),
  secret('wallet of ethers', 'src/w.ts', `const wallet = new ethers.Wallet('0x${hex('c')}', provider);`),
  secret('account of web3', 'bot/a.py', `account = Account.from_key("0x${hex('d')}")`),
  secret('account of viem', 'src/v.ts', `const account = privateKeyToAccount('0x${hex('e')}');`),
  secret('accounts of hardhat', 'hardhat.config.js', `module.exports = { networks: { main: { url: 'https://rpc.example.net', accounts: ['0x${hex('f')}'] } } };`),
  secret('command of foundry', 'deploy.sh', `cast send --private-key 0x${hex('g')} $TO "mint()"`),
  secret('key of Bitcoin', 'wallet.json', `{"wif":"${wif('h')}"}`),
  secret('key of Bitcoin alone', 'notes.csv', `label,key\nmain,${wif('i')}`),
  secret('extended key', 'src/hd.js', `const root = HDKey.fromExtendedKey('xprv9${random('j', 106, BASE58)}');`),
  secret('key of Solana', 'id.json', `[${[...createHash('sha512').update('k').digest()].join(',')}]`),
  secret('key of Solana in text', 'src/s.ts', `const payer = Keypair.fromSecretKey(bs58.decode('${random('l', 88, BASE58)}'));`),
  secret('twelve words', '.env', `MNEMONIC="${phrase(12)}"`),
  secret('twelve words in YAML', 'config.yaml', `wallet:\n  mnemonic: ${phrase(12, 3)}`),
  secret('eighteen words', 'src/m.py', `SEED_PHRASE = '${phrase(18)}'`),
  secret('twelve words in code', 'src/m.ts', `const w = Wallet.fromPhrase('${phrase(12, 5)}');`),
  secret('password in XML', 'settings.xml', `<server><id>nexus</id><username>ci</username><password>${word('m', 20)}</password></server>`),
  secret('key in the settings of .NET', 'web.config', `<add key="PaymentApiKey" value="${word('n')}" />`),
  secret('string of Android', 'res/values/strings.xml', `<resources><string name="maps_secret_key">${word('o', 40)}</string></resources>`),
  secret('property list', 'App/Info.plist', `<key>ApiToken</key>\n<string>${word('p', 40)}</string>`),
  secret('attribute of XML', 'conf/ds.xml', `<datasource url="jdbc:x" user="app" password="${word('q', 18)}"/>`),
  secret('element of a token', 'nuget.xml', `<accessToken>${word('r', 44)}</accessToken>`),
  secret('table of accounts', 'accounts.csv', `email,password,role\na@b.co,${word('s', 16)},owner`),
  secret('table of keys', 'keys.csv', `name;api_key;created\nprod;${word('t', 40)};2026-01-01`),
  secret('keys of AWS as exported', 'rootkey.csv', `Access key ID,Secret access key\nAKIA${random('u', 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')},${word('u', 40)}`),
  secret('table with tabs', 'data/users.tsv', `id\ttoken\n1\t${word('v', 40)}`),
  secret('header of curl', 'call.sh', `curl -H "X-API-Key: ${word('w', 40)}" https://api.example.net/v1`),
  secret('header of fetch', 'src/h.ts', `fetch(url, { headers: { 'x-api-key': '${word('x', 36)}' } });`),
  secret('header of requests', 'h.py', `requests.get(url, headers={"Ocp-Apim-Subscription-Key": "${hex('y', 32)}"})`),
  secret('argument of a client', 'c.py', `client = WeatherClient(api_key="${hex('z', 32)}")`),
  secret('key in JSON', 'config.json', `{"weather": {"apiKey": "${hex('aa', 32)}"}}`),
  secret('key in YAML', 'config.yml', `search:\n  api_key: ${word('ab', 32)}`),
  secret('key in TOML', 'config.toml', `[mail]\nauth_token = "${word('ac', 40)}"`),
  secret('key of this marketplace', 'README.md', `Call with amk_live_${word('ad', 36)}.`),
  secret('key of this marketplace in a table', 'k.csv', `name,key\nours,amk_live_${word('ae', 36)}`),
  secret('token of GitHub in a document', 'README.md', `export TOKEN=${checked('ghp_', 'af')}`),
  secret('token of npm in a document', 'docs/setup.md', `npm config set token ${checked('npm_', 'ag')}`),
  secret('key of Anthropic in a document', 'NOTES.md', `key: sk-ant-api03-${word('ah', 93)}AA`),
  none('transaction', 'src/t.ts', `const tx = '0x${hex('ba')}';`),
  none('hash of a block', 'README.md', `Deployed in 0x${hex('bb')}`),
  none('code hash', 'a.json', `{"bytecodeHash":"0x${hex('bc')}","salt":"0x${hex('bd')}"}`),
  none('public key', '.env', `PUBLIC_KEY=0x${hex('be')}`),
  none('first key of hardhat', 'hardhat.config.js', "accounts: ['0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80']"),
  none('key of zeros', '.env.test', `PRIVATE_KEY=0x${'0'.repeat(63)}1`),
  none('key from the environment', 'src/w.ts', "const wallet = new ethers.Wallet(process.env.PRIVATE_KEY ?? '', provider);"),
  none('words of hardhat', '.env', 'MNEMONIC="test test test test test test test test test test test junk"'),
  none('words of the standard', 'README.md', 'mnemonic: abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'),
  none('sentence about words', 'README.md', 'The seed phrase is a list of twelve words that you must keep and never send to any person.'),
  none('words to be filled in', '.env', 'MNEMONIC="word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12"'),
  none('address of a wallet', '.env', `WALLET_ADDRESS=0x${hex('bf', 40)}`),
  none('address of Solana', 'src/s.ts', `const program = new PublicKey('${random('bg', 44, BASE58)}');`),
  none('signature of Solana', 'src/s.ts', `const signature = '${random('bh', 88, BASE58)}';`),
  none('numbers', 'data.json', `[${Array.from({ length: 64 }, (_, at) => at).join(',')}]`),
  none('element without a value', 'settings.xml', '<password>${env.PASSWORD}</password>'),
  none('element with a placeholder', 'settings.xml', '<server><username>ci</username><password>your-password-here</password></server>'),
  none('password encrypted by Maven', 'settings.xml', `<password>{${word('bi', 42)}=}</password>`),
  none('label of Android', 'res/values/strings.xml', '<resources><string name="password_hint">Enter your password again</string><string name="api_key_label">Key of the interface</string></resources>'),
  none('description in XML', 'docs.xml', '<param name="token">The token that the caller received</param>'),
  none('list of properties', 'App/Info.plist', '<key>CFBundleIdentifier</key>\n<string>com.example.application.main</string>'),
  none('table of hashes', 'files.csv', `path,sha256\na.txt,${hex('bj')}`),
  none('table of questions', 'faq.csv', 'question,password policy\nHow long?,at least twelve characters'),
  none('table without values', 'accounts.csv', 'email,password,role\na@b.co,,owner'),
  none('table of counts', 'usage.csv', 'model,token,cost\ngpt,123456,0.12'),
  none('table of identifiers', 'users.csv', 'id,public_key\n1,0x' + hex('bk', 40)),
  none('header from the environment', 'call.sh', 'curl -H "X-API-Key: $API_KEY" https://api.example.net/v1'),
  none('header to be filled in', 'README.md', 'curl -H "X-API-Key: YOUR_API_KEY" https://api.example.net/v1'),
  none('name of a header', 'src/h.ts', "const HEADER = 'x-api-key'; const other = 'x-request-identifier-of-caller';"),
  none('integrity', 'config.json', `{"apiKeyHeader":"X-Api-Key","integrity":"sha384-${word('bl', 64)}"}`),
  none('identifier', 'config.yml', 'request_id: 6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b'),
  none('own key to be filled in', 'README.md', 'Authorization: Bearer amk_live_…'),
  none('token of GitHub made up', 'README.md', 'export TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'),
  none('token of GitHub without its checksum', 'docs/api.md', `curl -H "Authorization: token ghp_${word('bm', 36)}"`),
  none('key of a test', 'tests/a.test.ts', `const commit = '${hex('bn', 40)}';`),
]; // prettier-ignore
