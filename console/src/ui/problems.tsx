import { Code } from '@mantine/core';
import type { FieldProblem } from '../client/http';
import { plainField, plainProblem } from './plain-words';

/** The path of a field in the body, such as `access_config.endpoint_url`. */
export const pathOf = (loc: FieldProblem['loc']): string => loc.filter((part) => part !== 'body').join('.');

/** Deeper places, such as those of a manifest, are found by their whole path. */
const MOST_WORDS = 2;

/** The invalid fields that no field of the form shows, each with its problem. */
export function Problems({ problems }: { problems: readonly FieldProblem[] }) {
  return (
    <ul className="problems">
      {problems.map(({ loc, msg }, index) => (
        <li key={index}>
          {loc.filter((part) => part !== 'body').length > MOST_WORDS ? (
            <Code className="plain-code">{pathOf(loc)}</Code>
          ) : (
            <b title={pathOf(loc)}>{plainField(loc)}</b>
          )}
          : {plainProblem(msg)}
        </li>
      ))}
    </ul>
  );
}
