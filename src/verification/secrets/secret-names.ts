/** Recognizes values that a rule by name alone would take for secrets, by their names and their forms. */

/** Names of values that are identifiers, digests or positions, never secrets. */
const NO_SECRET_NAME =
  /(?:public(?:_?key)?|pub[_-]?key|publishable|site[_-]?key|fingerprint|check_?sum|hash|digest|sha_?\d|md5|etag|integrity|nonce|commit|revision|version|cache|idempotency(?:[_-]?(?:key|token|id))?|primary|foreign|partition|sort|object|storage|s3|file|path|keyboard|keycode|shortcut|trace|request|correlation|translation|i18n|locale|label|column|field|(?:token|coin)_?mint|mint(?:_?(?:address|authority|key|account))?|(?:page|paging|pagination|continuation|continue|cursor|sync|resume|resumption|scroll|skip|next|prev|previous|marker)_?token|cursor|token_?(?:type|address|account|program|count|limit|izer|endpoint|url|uri)|max_?tokens?|_(?:url|uri|name|id|path|file|endpoint|algorithm|header)|monkey|turkey|hotkey|tokenizer|author)["'\]]?\s{0,3}(?:[=:]|=>|,|$)/i;
/** Values that people type, addresses of blockchains, and keys that their prefix calls public. */
const TYPED =
  /passw|letmein|welcome|admin|secret|^0x[0-9a-f]{40}$|^(?:pk_(?:live|test)|sb_publishable)_|^pub[0-9a-f]{32}$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Where a secret is kept. */
const REFERENCE =
  /^(?:vault|op|arn|ssm|aws|gcp|azure|keyvault|kv|secretsmanager|projects|env|file|ref|sops|doppler|secret)[:/]/i;
/** Names beside which even a UUID is a secret. Most keys of an API that are UUIDs name an application or an account. */
const NAME_OF_KEY = /secret|token|passw|(?:access|private|auth|encryption|signing|master)[_-]?key/i;

/** True for a value that is no secret, by the name before it or by itself. */
export function isNoSecret(name: string, value: string): boolean {
  if (NO_SECRET_NAME.test(name) || TYPED.test(value) || REFERENCE.test(value)) return true;
  return UUID.test(value) && !NAME_OF_KEY.test(name);
}
