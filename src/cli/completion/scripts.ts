/**
 * Scripts that complete `market` in shells. They know verbs and options; for values they run `market complete`, which
 * prints one a line. Where it prints none, they complete files.
 */
export interface PlaceOption {
  /** With its dashes. */
  name: string;
  hasValue: boolean;
}

/** What can follow some words of the command: verbs with their descriptions, and options. */
export interface Place {
  /** The words before, such as ` agents`; empty for `market` itself. */
  at: string;
  verbs: { name: string; description: string }[];
  options: PlaceOption[];
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** A pattern of `case` that holds for the words of each verb. */
const known = (places: readonly Place[]) =>
  places
    .slice(1)
    .map(({ at }) => quoted(at))
    .join('|');
/** A pattern of `case` that holds for each option with a value. */
const valued = (places: readonly Place[]) => {
  const options = places.flatMap(({ options: own }) => own).filter(({ hasValue }) => hasValue);
  return [...new Set(options.map(({ name }) => name))].sort().join('|');
};
const cases = (places: readonly Place[]) =>
  places
    .map(({ at, verbs, options }) => {
      const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).join(' ');
      return `    ${quoted(at)}) verbs="${names(verbs)}" options="${names(options)}" ;;`;
    })
    .join('\n');

export function bashScript(places: readonly Place[]): string {
  return `# market completion bash
_market() {
  local at='' verbs='' options='' word='' IFS=$' \t\n'
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # Bash takes the @ of @file as a word of its own.
  if [[ $current == @* || $previous == @ ]]; then
    IFS=$'\n'
    COMPREPLY=($(compgen -f -- "\${current#@}"))
    [[ $COMP_WORDBREAKS == *@* ]] || COMPREPLY=("\${COMPREPLY[@]/#/@}")
    compopt -o filenames 2>/dev/null
    return
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  case "$previous" in
    ${valued(places)}) verbs='' ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $verbs ]]; then
    COMPREPLY=($(compgen -W "$verbs" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$current"))
    [[ \${COMPREPLY[*]} == @ ]] && compopt -o nospace 2>/dev/null
  fi
  return 0
}
complete -o default -F _market market
`;
}

export function zshScript(places: readonly Place[]): string {
  return `#compdef market
_market() {
  local at='' verbs='' options='' word='' previous="\${words[CURRENT-1]}"
  local -a values
  if [[ $PREFIX == @* ]]; then
    compset -P '@'
    _files
    return
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  case "$previous" in
    ${valued(places)}) verbs='' ;;
  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- \${=options}
  elif [[ -n $verbs ]]; then
    compadd -- \${=verbs}
  else
    values=(\${(f)"$(\${words[1]} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#values )); then compadd -- $values; else _files; fi
  fi
}
compdef _market market
`;
}

export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ at, verbs, options }) => {
    const when = `-n ${quoted(`test (__market_at) = "${at}"`)}`;
    const value = `-a '(__market_values)'`;
    return [
      ...verbs.map(
        ({ name, description }) =>
          `complete -c market ${when} -f -a ${quoted(name)} -d ${quoted(description)}`,
      ),
      ...(verbs.length === 0 ? [`complete -c market ${when} ${value}`] : []),
      ...options.map(
        ({ name, hasValue }) =>
          `complete -c market ${when} -l ${name.replace('--', '')}${hasValue ? ` -r ${value}` : ''}`,
      ),
    ];
  });
  return `# market completion fish
function __market_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ at }) => quoted(at))
        .join(' ')}
        set at "$at $word"
    end
  end
  echo "$at"
end
function __market_values
  set -l token (commandline -ct)
  if string match -q '@*' -- "$token"
    printf '@%s\n' (__fish_complete_path (string sub -s 2 -- "$token"))
  else
    market complete -- (commandline -opc)[2..-1] "$token" 2>/dev/null
  end
end
${lines.join('\n')}
`;
}
