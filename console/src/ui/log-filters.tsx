import { Select } from '@mantine/core';
import { DateField } from './date-field';
import { startOf } from './days';
import { useChangeSearch, useSearchValue } from './params';

/** The name in the page's address by which the entries of a log are chosen by what was done. */
type DeedName = 'action' | 'operation';
interface Choice {
  value: string;
  label: string;
}

const USER = /^usr_[0-9a-f]{32}$/;

function useChosen(deed: DeedName) {
  const value = (name: string) => useSearchValue(name) ?? '';
  return { deed: value(deed), by: value('by'), from: value('from'), to: value('to') };
}

/** The filters that the page's address holds, but for malformed ones. What was done must have the `form`. */
export function useLogFilter(name: DeedName, form: RegExp) {
  const { deed, by, from, to } = useChosen(name);
  return {
    deed: form.test(deed) ? deed : undefined,
    by: USER.test(by) ? by : undefined,
    since: startOf(from),
    until: startOf(to, 1),
  };
}

interface LogFiltersProps {
  name: DeedName;
  deeds: readonly Choice[];
  people: readonly Choice[];
}

/** Which entries of a log are listed: by what was done, by whom, and by day. */
export function LogFilters({ name, deeds, people }: LogFiltersProps) {
  const chosen = useChosen(name);
  const change = useChangeSearch();
  return (
    <>
      <OneOf
        label="Action"
        any="Any"
        value={chosen.deed}
        choices={deeds}
        onChange={(value) => change({ [name]: value })}
      />
      <OneOf
        label="By"
        any="Anyone"
        value={chosen.by}
        choices={people}
        onChange={(value) => change({ by: value })}
      />
      <DateField label="From" value={chosen.from} onChange={(value) => change({ from: value })} />
      <DateField label="To" value={chosen.to} onChange={(value) => change({ to: value })} />
    </>
  );
}

interface OneOfProps {
  label: string;
  any: string;
  /** Also one that is no choice: the address of the page may hold any. */
  value: string;
  choices: readonly Choice[];
  onChange: (value: string | null) => void;
}

function OneOf({ label, any, value, choices, onChange }: OneOfProps) {
  const isOther = value !== '' && !choices.some((one) => one.value === value);
  return (
    <Select
      label={label}
      placeholder={any}
      clearable
      searchable
      w={240}
      value={value || null}
      onChange={onChange}
      data={[...choices, ...(isOther ? [{ value, label: value }] : [])]}
    />
  );
}
