/** Messages of the API are written for programs, too. These are their words for people in a browser. */

/** What a person reads and does about a code, where the API's message speaks of operations and fields. */
const SENTENCES: Record<string, string> = {
  not_authenticated: 'You need an account for this page. After the login you return to it.',
  email_unconfirmed: 'Confirm your email address first. The mail that you got at the sign-up has a link.',
  second_factor_required: 'Enter the code that your authenticator app shows now, or a recovery code.',
  registration_required: 'Pay the registration fee first. You find it on the overview of selling.',
  max_cost_exceeded:
    'This call could cost more than the most that you allow. Raise that amount, or leave it empty.',
  version_not_higher: 'The version must be higher than the newest one. Raise the number of the version.',
};

const OPERATION = /\b(?:GET|POST|PUT|PATCH|DELETE) \/[^\s,;)]*/;
const COMMAND = /\bmarket [a-z-]+(?: [a-z-]+)?(?: <[^>]+>)?/;
const ASIDE = new RegExp(`\\s*\\([^()]*(?:${OPERATION.source}|${COMMAND.source})[^()]*\\)`, 'g');
const LIST = new RegExp(
  `\\s*[:,]\\s*(?:${OPERATION.source}|${COMMAND.source})(?:,?\\s*or\\s+(?:${OPERATION.source}|${COMMAND.source}))*(?=[.;]|$)`,
  'g',
);

const API_TALK = new RegExp(`${OPERATION.source}|${COMMAND.source}|X-API-Key|Idempotency-Key`);
const SENTENCE_END = /(?<=[.;!?])\s+/;
/** Names of fields, and no ids: those have a prefix of the marketplace. */
const FIELD_NAME =
  /\b(?!(?:agt|dev|usr|inv|txn|key|dsp|pay|fnd|slh|ivc|whsec|amk|evt|ver)_)[a-z]+(?:_[a-z]+)+\b/g;
const CAMEL_NAME = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g;
/** What a person wrote, in quotes, and addresses: they stay as they are. */
const VERBATIM = /("[^"]*"|https?:\/\/\S+)/;
const wordsOf = (name: string) =>
  name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

/** Names of fields as words: `grace_seconds` and `contextId` become "grace seconds" and "context id". */
const withoutNames = (text: string) =>
  text
    .split(VERBATIM)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replaceAll(FIELD_NAME, wordsOf).replaceAll(CAMEL_NAME, wordsOf),
    )
    .join('');

/** A sentence for a person: no operation of the API, no command, no name of a field. */
export function plainMessage(code: string, message: string): string {
  const known = SENTENCES[code];
  if (known !== undefined) return known;
  const sentences = message.replaceAll(ASIDE, '').replaceAll(LIST, '').split(SENTENCE_END);
  const plain = sentences.filter((sentence) => !API_TALK.test(sentence)).join(' ');
  return plain === '' ? 'The marketplace refused this.' : withoutNames(plain.replace(/[;,:]$/, '.'));
}

/** The name of a field as a form writes it: `display_name`, `displayName` and `amountPaise` become words. */
export function plainField(path: readonly (string | number)[]): string {
  const names = path.filter((part) => part !== 'body').map(String);
  const last = names.at(-1) ?? 'input';
  const words = last
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What validators of schemas say about a member that no schema names. */
const UNKNOWN_FIELD = /must not have additional properties/i;

/** A problem of a field as a sentence: "Must have at most 80 characters". */
export function plainProblem(msg: string): string {
  if (UNKNOWN_FIELD.test(msg)) return 'Is not a field that is known here';
  const plain = withoutNames(msg.replaceAll(ASIDE, ''));
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
}
