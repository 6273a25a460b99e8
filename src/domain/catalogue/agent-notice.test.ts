import { redirectNotice } from './agent-notice';

it.each([
  ['https://a.example/mcp', '/mcp/', 'endpoint_redirects_to_slash'],
  ['https://a.example/mcp', 'http://a.example/mcp/', 'endpoint_redirects_to_slash'],
  ['https://a.example/mcp?x=1', 'https://a.example/mcp/?x=1', 'endpoint_redirects_to_slash'],
  ['https://a.example/mcp/', '/mcp', 'endpoint_redirects_from_slash'],
  ['https://a.example/', 'https://b.example/', 'endpoint_redirects'],
  ['https://a.example/mcp', '/login', 'endpoint_redirects'],
  ['https://a.example/', '', 'endpoint_redirects'],
  ['https://a.example/mcp', undefined, 'endpoint_redirects'],
])("an agent's answer with %s that ends in %s gets the notice %s", (endpoint, location, notice) => {
  expect(redirectNotice(endpoint, location)).toBe(notice);
});
