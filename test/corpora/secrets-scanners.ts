/**
 * Forms that the test cases of other scanners showed to be missed, or reported wrongly; written anew with random
 * values. docs/verification-bundles.md has the measurement of those cases at first sight.
 */
import { madeUp } from '../support/verification/bundles';
import type { SecretCase } from './secrets';

const HEX = '0123456789abcdef';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ALNUM = `${LETTERS}0123456789`;
const BASE64 = `${ALNUM}+/`;
let seed = 90_001;
const of = (alphabet: string, length: number) => madeUp(alphabet, length, (seed += 104_729));
const uuid = () => [8, 4, 4, 4, 12].map((length) => of(HEX, length)).join('-');
const pem = () =>
  ['-----BEGIN RSA PRIVATE', ' KEY-----\n', (of(BASE64, 1_216).match(/.{1,64}/g) ?? []).join('\n'), '\n-----END RSA PRIVATE', ' KEY-----'].join(''); // prettier-ignore

const add = (is: SecretCase['is']) => (name: string, path: string, text: string) => ({ is, name: `${is}: ${name}`, path, text: `${text}\n` }); // prettier-ignore
const secret = add('secret');
const none = add('none');
const open = add('public');

export const SECRETS_OF_SCANNERS: readonly SecretCase[] = [
  secret('Slack app token alone', 'notes.txt', `xapp-1-A${of(UPPER, 10)}-${of('123456789', 13)}-${of(HEX, 64)}`),
  secret('session token of AWS', 'env.sh', `export AWS_SESSION_TOKEN=FQoGZXIvYXdzE${of(ALNUM, 4)}//////////wEaD${of(BASE64, 260)}`),
  secret('bearer token that begins with zeros', 'twitter.txt', `twitter_api_token = "AAAAAAAAAAAAAAAAAAAAAA${of(ALNUM, 12)}%${of(ALNUM, 76)}"`),
  secret('Amazon MWS', 'notes.md', `Use amzn.mws.${uuid()} for orders.`),
  secret('AppSync', 'client.js', `const client = make('https://x.appsync-api.eu-west-1.amazonaws.com', 'da2-${of(LOWER, 26)}');`),
  secret('Kolide', 'notes.txt', `k2sk_v1_${of(ALNUM, 24)}`),
  secret('organization of Hugging Face', 'notes.txt', `(api_org_${of(LETTERS, 34)}),`),
  secret('element of Android', 'res/values/keys.xml', `<resources>\n  <string name="hockey_api_key">${of(HEX, 32)}</string>\n</resources>`),
  secret('property of Jenkins', 'jenkins.properties', `jenkins.url=https://ci.acme.io\njenkins.api.token=${of(ALNUM, 12)}@${of(ALNUM, 6)}-${of(ALNUM, 8)}`),
  secret('verbatim string', 'src/Users.cs', `private const string UserCreationSecretKey = @"${of(HEX, 64)}";`),
  secret('client secret in a query', 'src/login.py', `url = "https://graph.example.io/oauth/access_token?client_id=571605&client_secret=${of(HEX, 32)}&grant_type=x"`),
  secret('long token in a query', 'src/pages.py', `url = "https://graph.example.io/v2/members?access_token=EAAC${of(ALNUM, 180)}"`),
  secret('UUID of an access key', 'ci.env', `SAUCE_USERNAME=acme\nSAUCE_ACCESS_KEY=${uuid()}`),
  secret('UUID of a private key', 'atlas.env', `ATLAS_PRIVATE_KEY=${uuid()}`),
  secret('value with a hyphen', 'client.json', `{"clientSecret": "Ufvuj-d6alhw${of(ALNUM, 4)}Lh_8Nq0K"}`),
  secret('value with a prefix for tests', 'panda.env', `pandascore_token=test_TK7p${of(ALNUM, 30)}`),
  none('checksum of a module', 'notes.txt', `github.com/Azure/go-autorest/autorest/azure/auth v0.5.11 h1:${of(BASE64, 43)}=`),
  none('client token of Datadog', 'rum.js', `datadogRum.init({ clientToken: "pub${of(HEX, 32)}" });`),
  none('prose', 'policy.txt', 'password combination. R5: Regulatory--21'),
  none('names in a format string', 'src/netrc.py', "return f'machine {hostname}{path} login {self.username} password {self.password}'"),
  none('where a secret is kept', 'config.yml', 'db_password: vault:kv/data/app#key1\napi_token: op://vault/item/field2\nsecret: arn:aws:secretsmanager:eu-west-1:123456789012:secret/a1'),
  none('key of too many letters', 'notes.txt', `SG.${of(ALNUM, 21)}.${of(ALNUM, 45)}`),
  none('alphabet', 'src/base32.ts', "const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';"),
  open('test data of a library of Go', 'vendor/golang.org/x/crypto/ssh/testdata/keys.go', `var PEMBytes = []byte(\`${pem()}\`)`),
  open('certificate of a library of npm', 'node_modules/smtp-server/lib/tls-options.js', `module.exports = { key: \`${pem()}\` };`),
  open('test data of the agent', 'internal/auth/testdata/ca.key', pem()),
]; // prettier-ignore
