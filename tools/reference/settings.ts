import { SETTINGS } from '../../src/config';
import { SECRET_SETTINGS } from '../../src/config-secrets';
import { code, generated, table } from './table';

/** What the validators of `src/config.ts` carry beside their check. */
interface Setting {
  default?: unknown;
  devDefault?: unknown;
  choices?: readonly string[];
  desc?: string;
}

const THEMES: Record<keyof typeof SETTINGS, string> = {
  HTTP: 'Process',
  STORES: 'Stores, keys and payments',
  ACCOUNTS: 'Accounts and mails',
  PAYOUTS: 'Payouts',
  USDC: 'Payouts in USDC',
  X402: 'Calls paid without an account (x402)',
  EGRESS: 'Connections to agents',
  CALLS: 'Calls, limits and deadlines',
};

/** docs/reference/settings.md: every setting by theme. Throws `Error` for a setting without a meaning. */
export function settingsPage(): string {
  const sections = Object.entries(SETTINGS).map(([theme, settings]) => {
    const rows = Object.entries(settings as Record<string, Setting>).map(([name, setting]) =>
      rowOf(name, setting),
    );
    return `## ${THEMES[theme as keyof typeof SETTINGS]}\n\n${table(['Setting', 'Type', 'Default', 'Secret', 'Meaning'], rows)}`;
  });
  return `${generated(
    'Settings',
    '`src/config.ts`',
    'The API and the worker read their settings from the environment, once, when they start. A wrong or missing setting ends the process with a\nmessage that names it. `npm start` needs none. [Operations](../operations.md#settings) says which ones production needs.',
    'A default in brackets holds outside of production. A secret can come from a file: `<NAME>_FILE` names it. Durations end in `_MS`\n(milliseconds) or `_SECONDS`; 72 hours are 259200000 ms.',
  )}

${sections.join('\n\n')}
`;
}

function rowOf(name: string, setting: Setting): string[] {
  if (!setting.desc) throw new Error(`${name} has no desc in src/config.ts`);
  const isSecret = (SECRET_SETTINGS as readonly string[]).includes(name);
  return [
    code(name),
    typeOf(name, setting),
    defaultOf(setting, isSecret),
    isSecret ? 'yes' : '',
    setting.desc,
  ];
}

function typeOf(name: string, { choices, ...setting }: Setting): string {
  if (choices) return choices.map(code).join(', ');
  const example = setting.default ?? setting.devDefault;
  if (Array.isArray(example)) return 'list';
  if (name.endsWith('_URL') || name === 'PUBLIC_ORIGIN') return 'URL';
  return { number: 'number', boolean: '`true`, `false`' }[typeof example as string] ?? 'text';
}

function defaultOf(setting: Setting, isSecret: boolean): string {
  const shown = (value: unknown) => (value === '' ? 'empty' : code(String(value)));
  const inProduction = Object.hasOwn(setting, 'default') ? shown(setting.default) : 'required';
  const { devDefault } = setting;
  if (devDefault === undefined) return inProduction;
  return `${inProduction} (${isSecret && inProduction === 'required' ? 'set' : shown(devDefault)})`;
}
