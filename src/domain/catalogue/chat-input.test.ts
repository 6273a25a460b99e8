import { chats } from './chat-input';

it.each<[string, unknown, boolean]>([
  ['has messages', { properties: { messages: { type: 'array' } }, additionalProperties: false }, true],
  ['takes anything', {}, true],
  ['allows other members', { properties: { text: {} } }, true],
  ['requires something else', { required: ['text'], properties: { text: {} } }, false],
  ['is closed', { properties: { text: {} }, additionalProperties: false }, false],
  ['refuses everything', false, false],
])('an agent whose schema %s', (_what, schema, expected) => {
  expect(chats(JSON.stringify(schema))).toBe(expected);
});

it('an agent without schemas accepts chat turns', () => {
  expect(chats(null)).toBe(true);
});
