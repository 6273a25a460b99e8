/** What the validator of forms says, in the words of a form. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^String is too short \(\d+ < (\d+)\)/, 'Write at least $1 characters.'],
  [/^String is too long \(\d+ > (\d+)\)/, 'Write at most $1 characters.'],
  [/^String does not match pattern/, 'This does not have the form that the agent asks for.'],
  [/^String does not match format "(.+)"/, 'This is not a valid $1.'],
  [/^Array has too few items \(\d+ < (\d+)\)/, 'Add at least $1 entries.'],
  [/^Array has too many items \(\d+ > (\d+)\)/, 'Leave at most $1 entries.'],
  [/^Duplicate items/, 'Two entries are the same.'],
  [/^\S+ is less than (?:or equal to )?(\S+?)\.?$/, 'Enter a number from $1 on.'],
  [/^\S+ is greater than (?:or equal to )?(\S+?)\.?$/, 'Enter a number up to $1.'],
  [/^\S+ is not a multiple of (\S+?)\.?$/, 'Enter a multiple of $1.'],
  [/^Instance type "\w+" is invalid\. Expected "(.+)"/, 'Enter a value of the type $1.'],
  [
    /^Instance does not match any of|^Instance does not match/,
    'Choose one of the values that the agent takes.',
  ],
  [/^Property "(.+)" does not match additional/, 'The agent does not know the field $1.'],
];

/** "String is too short (0 < 1)." becomes "Write at least 1 characters.". Other texts stay. */
export function problemWords(error: string): string {
  const known = WORDS.find(([pattern]) => pattern.test(error));
  if (!known) return error;
  const [pattern, words] = known;
  const found = pattern.exec(error) ?? [];
  const text = words.replace('$1', (found[1] ?? '').replaceAll('", "', ' or '));
  return text.replace(/\b1 (character|entrie)s\b/, (_all, unit: string) =>
    unit === 'entrie' ? '1 entry' : `1 ${unit}`,
  );
}
