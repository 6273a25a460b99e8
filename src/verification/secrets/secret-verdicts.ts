/** Decides what a match of a secret rule weighs: a leaked key, a guess, a value that is public anyway, or nothing. */
import { createHash } from 'node:crypto';
import type { SecretWeight } from '../../domain/evidence/evidence-facts';
import { asRecord } from '../../domain/json-value';
import { isWalletKey, isWalletPhrase } from './proofs';
import type { SecretHit } from './rule-matching';

export interface SecretVerdict {
  weight: SecretWeight;
  /** Why it weighs less than a leaked key; part of a sentence. */
  reason?: string;
}

/** Values that issuers print in their documentation or ship in emulators, as SHA-256. */
const DOCUMENTED: ReadonlySet<string> = new Set([
  '2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326',
  'f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397',
  '7e8de44ea9ecf6d53415c90f5b249a8591f7abafbf7d65a2c0d855afeca3ec09',
  '2d1f7723aabc5c7a51fcdc2463c99b5f3fdbc57cf3134db4ac12913c35976e6f',
  '69e5a07ccf06bc5ae16c94f439748a583c4ed8d61b1fc96d0f0efa27a1bd9602',
  '6e207992b4a48b5c3848d2b431435e40f60ab221beb28c6e334b83f9fa025f9c',
  '3543c50b0cb9cea8e55eb1f529b79f043cb250d485fde7b66cabbb5183add7da',
  'ac9265e56c79b234607ec72c53753cfea9f88c99eb713790ddf9be5593bb4465',
  '0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059',
  'aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615',
  'f5e95c9954635b65acab57e6d5ea663eb900f06dc8794a90358f5abb1c77d4e0',
  '0b5dd075ccdd03c42f4edda8e299e6838e2a75d3486a2a8d86940ed1541e9178',
  'a86ae86369fd155f7c54c9475d12a1f3e94c48daa0cdceb41468b7722beaba63',
  'fda63ac7b83769b5a6fcc39465299d945e8886a7d3cd0d9427e4050dabcfdf99',
  'c6ea27c534f993d31f0aef882e3d200e7b87470c379ae79c8f9b19d3bd363dc9',
  'bc1a50966c9e6486bc4ebf880b51611a2a97fcb8e7a6976e9b81a9e3e8ca0e3c',
  '60a09e4357868c1e9b801052726d061c370429f723db84523ed58ac354f6eb8a',
  '8335c55334821eefd4334369ff9c04a8594f161013cf9d87f58802d87297837e',
  '095101cf732c298a0ce0320b9de704209cdd8640b70d8fdf4e5be51aa2eb272e',
  'b26ab6529d20ebebb4192256f202984754f785481c64b1a1aed58cac93b3617e',
  'bb4978fbe7638de8e6ee13d9a59a5fb047beb0f0ee059fe166541b1f96b6af63',
]);

const FIREBASE =
  /firebase|authDomain|messagingSenderId|storageBucket|google-services|GoogleService-Info|mobilesdk_app_id|(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|PUBLIC)_|maps\.googleapis\.com\/maps\/api\/js/i;
const LOCAL_KEY =
  /(?:^|[/._-])(?:localhost|local|snakeoil|self-?signed|dev|test|dummy|example)(?:[._-][^/]{0,200})?\.(?:key|pem|crt|p12)$|(?:^|\/)(?:test-?|dev-?|local-?)certs?\//i;
/** Third-party code in the folders of package managers. */
const LIBRARY =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|third_party|vendor\/(?:bundle|[\w-]{1,200}(?:\.[\w-]{1,200}){0,20}\.[a-z]{2,40}))\//;
const LOCAL_HOST =
  /@(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[a-z0-9-]{1,200}|[a-z0-9.-]{1,200}\.(?:local|test|localhost|internal|svc|example)|[a-z0-9.-]{0,200}example\.(?:com|org|net))$/i;
/** Rules that match the form of a token that several systems issue, some of them public. */
const URL_RULE = 'password-in-address';
const ALLOW_MARK = /gitleaks:allow\b[ \t]{0,16}(?:[-:–(]{1,200}[ \t]{0,16})?([^\n"'`*]{0,120})/;

/** `line` is the line of the match, `near` the text around it. Undefined: no secret at all. */
export function judgeSecret(
  hit: SecretHit,
  path: string,
  line: string,
  near: string,
): SecretVerdict | undefined {
  if (DOCUMENTED.has(createHash('sha256').update(hit.secret).digest('hex'))) return undefined;
  const mark = ALLOW_MARK.exec(line);
  if (mark)
    return { weight: 'allowed', reason: mark[1]?.trim() === '' ? 'no reason given' : (mark[1] ?? '').trim() };
  const { id, isGuess } = hit.rule;
  if (id === URL_RULE && LOCAL_HOST.test(hit.match)) return undefined;
  if (id === 'wallet-import-key' && !isWalletKey(hit.secret)) return undefined;
  if (id === 'wallet-words' && !isWalletPhrase(hit.secret)) return undefined;
  if (/^jwt/.test(id)) return judgeToken(hit.secret);
  if (hit.secret.startsWith('AIza') && FIREBASE.test(near))
    return { weight: 'public', reason: 'a web key of Firebase, which every visitor receives' };
  if (/^[sr]k_test_/.test(hit.secret))
    return { weight: 'public', reason: 'a test key, which moves no money' };
  if (id === 'private-key') {
    if (LOCAL_KEY.test(path)) return { weight: 'public', reason: 'a certificate for local development' };
    if (/ENCRYPTED/.test(hit.match.slice(0, 200)))
      return { weight: 'named', reason: 'encrypted with a password' };
    // Each person who fetches the library has the key, so it protects nothing of the developer.
    if (LIBRARY.test(path)) return { weight: 'named', reason: 'part of a library in the bundle' };
  }
  if (id === 'basic-authorization' && !isLogin(hit.secret)) return undefined;
  if (isGuess !== true) return { weight: 'certain' };
  return { weight: NAME_ALONE.has(id) ? 'guessed' : 'named' };
}

/** Rules that know nothing of the issuer. */
const NAME_ALONE: ReadonlySet<string> = new Set([
  'generic-api-key',
  'named-password',
  'environment-secret',
  'login-password',
  'signing-key',
  'key-in-address',
  'client-key',
  'terraform-default',
  'bearer-authorization',
  'password-option',
  'setting-of-a-secret',
  'element-of-a-secret',
  'property-secret',
  'long-token',
  'element-with-secret',
  'entry-with-secret',
  'header-with-key',
  'key-by-its-name',
]);

/** Name and password in base64. */
function isLogin(encoded: string): boolean {
  const [name = '', password = ''] = Buffer.from(encoded, 'base64').toString('latin1').split(':', 2);
  const isWritten = /^[\x20-\x7e]{1,80}$/.test(name) && /^[\x21-\x7e]{8,120}$/.test(password);
  return isWritten && !/passw|secret|example|your|test|open.?sesame|[<{$]/i.test(password);
}

/** A JSON web token says itself for whom and how long it is valid. */
function judgeToken(token: string): SecretVerdict | undefined {
  const claims = claimsOf(token);
  if (!claims) return { weight: 'named' };
  const { exp, role, iss, name, sub } = claims;
  if (name === 'John Doe' || sub === '1234567890' || iss === 'supabase-demo' || iss === 'joe')
    return undefined;
  if (role === 'anon') return { weight: 'public', reason: 'an anonymous key, which every visitor receives' };
  if (typeof exp === 'number' && exp * 1_000 < EXPIRED_BEFORE) return { weight: 'public', reason: 'expired' };
  return { weight: role === 'service_role' ? 'certain' : 'named' };
}

/** Tokens that expired before this service existed. A clock would give other evidence for the same bundle. */
const EXPIRED_BEFORE = Date.UTC(2025, 0, 1);

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, body] = token.split('.');
  if (body === undefined) return undefined;
  try {
    return asRecord(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
  } catch {
    return undefined;
  }
}
