import { createConfig, lintFromString } from '@redocly/openapi-core';
import { EVENT_TYPES } from '../domain/webhooks/event';
import { openapiDocument } from './openapi';
import { TAG_DESCRIPTIONS } from './openapi-descriptions';
import { operations } from './operations';

type Json = Record<string, unknown>;
const document = openapiDocument(operations, { version: '1.0.0', statusOf: () => 400 });
const components = document['components'] as Record<string, Record<string, Json>>;

describe('the OpenAPI document', () => {
  it('has names for what clients use', () => {
    const names = [
      'Listing',
      'Invocation',
      'Payout',
      'TrustReport',
      'Dispute',
      'Webhook',
      'Manifest',
      'Error',
    ];
    expect(Object.keys(components['schemas'] ?? {})).toEqual(expect.arrayContaining(names));
  });

  it('describes every tag, and keeps no description of a tag that is gone', () => {
    const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
    expect(Object.keys(TAG_DESCRIPTIONS).sort()).toEqual(tags);
  });

  it('has a webhook for each type of event, with the schema of its body', () => {
    const webhooks = document['webhooks'] as Record<string, { post: { requestBody: Json } }>;
    const types = Object.entries(webhooks).map(([type, { post }]) => {
      const [, name = ''] = /schemas\/(\w+)"/.exec(JSON.stringify(post.requestBody)) ?? [];
      const { properties } = components['schemas']?.[name] as { properties: Record<string, Json> };
      return [
        type,
        properties['type']?.['const'],
        Object.keys(properties['data']?.['properties'] ?? {}).length > 0,
      ];
    });
    expect(types).toEqual([...EVENT_TYPES, 'webhook.test'].map((type) => [type, type, true]));
  });

  it('references only components that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(1_000);
    const missing = references.filter(([, kind = '', name = '']) => !components[kind]?.[name]);
    expect(missing.map(([text]) => text)).toEqual([]);
  });

  it('passes the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    // The specification writes `POST /chat/`.
    const slash = 'no-path-trailing-slash: `/chat/` should not have a trailing slash.';
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([slash]);
  });

  /** The media types of a response of an operation, references resolved. */
  const mediaTypesOf = (path: string, method: string, status: string) => {
    const paths = document['paths'] as Record<string, Record<string, { responses: Record<string, Json> }>>;
    const response = paths[path]?.[method]?.responses[status];
    const [, name = ''] = /responses\/(.+)/.exec(String(response?.['$ref'])) ?? [];
    return Object.keys((components['responses']?.[name] ?? response)?.['content'] ?? {});
  };

  it.each([
    ['/v1/a2a/{agent_id}/message:send', 'post', '200', ['application/a2a+json']],
    ['/v1/a2a/{agent_id}/message:send', 'post', '415', ['application/a2a+json']],
    ['/v1/a2a/{agent_id}/message:send', 'post', 'default', ['application/a2a+json']],
    ['/v1/a2a/{agent_id}/tasks/{task_id}', 'get', '200', ['application/json', 'application/a2a+json']],
    ['/v1/a2a/{agent_id}/tasks/{task_id}', 'get', '404', ['application/json', 'application/a2a+json']],
    ['/v1/a2a/{agent_id}/rpc', 'post', '200', ['application/json', 'text/event-stream']],
    ['/v1/a2a/{agent_id}/rpc', 'post', '415', ['application/json']],
    ['/v1/a2a/{agent_id}/tasks', 'post', 'default', ['application/json']],
    ['/oauth/authorize', 'get', '400', ['text/html']],
    ['/oauth/token', 'post', 'default', ['application/json']],
  ])('describes the forms of %s %s %s', (path, method, status, mediaTypes) => {
    expect(mediaTypesOf(path, method, status)).toEqual(mediaTypes);
  });
});
