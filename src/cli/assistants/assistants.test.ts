import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Assistant, configOf, type Place, stepsOf } from './assistants';
import { mergedConfig, writeConfig } from './merge-config';

const server = { name: 'market', url: 'https://market.example/mcp' };
let folder: string;
let place: Place;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assistants-'));
  place = { platform: 'linux', home: join(folder, 'home'), cwd: join(folder, 'work'), env: {} };
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(assistant: Assistant, isProject = false, replaces = false) {
  const config = configOf(assistant, server, place, isProject);
  if (!config) throw new Error('this assistant has no file');
  const backup = writeConfig(mergedConfig(config, server, replaces));
  return { backup, document: JSON.parse(readFileSync(config.file, 'utf8')) as unknown, ...config };
}

it.each<[Assistant, NodeJS.Platform, boolean, string, object]>([
  [
    'vscode',
    'linux',
    false,
    'home/.config/Code/User/mcp.json',
    { servers: { market: { type: 'http', url: server.url } } },
  ],
  [
    'vscode',
    'darwin',
    false,
    'home/Library/Application Support/Code/User/mcp.json',
    { servers: { market: {} } },
  ],
  ['vscode', 'win32', false, 'home/AppData/Roaming/Code/User/mcp.json', { servers: { market: {} } }],
  ['vscode', 'linux', true, 'work/.vscode/mcp.json', { servers: { market: {} } }],
  ['cursor', 'linux', false, 'home/.cursor/mcp.json', { mcpServers: { market: { url: server.url } } }],
  ['cursor', 'linux', true, 'work/.cursor/mcp.json', { mcpServers: { market: {} } }],
  ['claude', 'linux', true, 'work/.mcp.json', { mcpServers: { market: { type: 'http' } } }],
])(
  'a new file of %s on %s has the server (project: %s)',
  (assistant, platform, isProject, path, document) => {
    place.platform = platform;
    const written = write(assistant, isProject);
    expect(written.file).toBe(join(folder, path));
    expect(written.document).toMatchObject(document);
    expect(written.backup).toBeUndefined();
  },
);

describe('an existing file', () => {
  const file = () => join(place.home, '.cursor', 'mcp.json');
  const given = (text: string) => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), text);
  };

  it('keeps its other members and servers, and a copy of it stays', () => {
    const before = { other: [1], mcpServers: { mine: { command: 'x' } } };
    given(`\ufeff${JSON.stringify(before)}`);
    const { document, backup } = write('cursor');
    expect(document).toEqual({
      other: [1],
      mcpServers: { mine: { command: 'x' }, market: { url: server.url } },
    });
    expect(readFileSync(backup ?? '', 'utf8')).toContain(JSON.stringify(before));
    // A second run changes nothing.
    expect(write('cursor').backup).toBeUndefined();
  });

  it('with another server of that name is replaced only on demand', () => {
    given('{"mcpServers":{"market":{"url":"https://other.example/mcp"}}}');
    expect(() => write('cursor')).toThrow(/another server named market/);
    expect(write('cursor', false, true).document).toEqual({ mcpServers: { market: { url: server.url } } });
  });

  it.each(['{ // a comment\n}', '[]', '{"mcpServers": []}', 'nothing'])(
    'that is %s is left as it is',
    (text) => {
      given(text);
      expect(() => write('cursor')).toThrow(/mcp\.json/);
      expect(readFileSync(file(), 'utf8')).toBe(text);
      expect(readdirSync(dirname(file()))).toEqual(['mcp.json']);
    },
  );

  it('that is empty gets the server', () => {
    given('');
    expect(write('cursor').document).toEqual({ mcpServers: { market: { url: server.url } } });
  });
});

it.each<Assistant>(['claude', 'chatgpt'])(
  '%s has no file for all work, and gets the address',
  (assistant) => {
    expect(configOf(assistant, server, place, false)).toBeUndefined();
    expect(stepsOf(assistant, server)).toContain(server.url);
  },
);
