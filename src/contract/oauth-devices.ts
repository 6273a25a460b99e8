import { Type } from '@sinclair/typebox';
import { strictObject, text } from './common';
import { defineOperation } from './operation';

const tag = 'OAuth';
const html = { mediaType: 'text/html', description: 'A page for the person who decides.' };
const Uri = Type.String({ format: 'uri' });
const query = strictObject({ user_code: Type.Optional(text({ maxLength: 40 })) });

export const oauthDeviceAuthorization = defineOperation({
  id: 'oauthDeviceAuthorization',
  errorForm: 'oauth',
  method: 'post',
  path: '/oauth/device_authorization',
  tag,
  summary: 'Begin the login of a device without a browser (form-encoded, RFC 8628)',
  description: 'For the client `market-cli`: `client_id` and `scope`.',
  auth: 'public',
  bodyLimitBytes: 16 * 1024,
  rawBody: 'form',
  responses: {
    200: strictObject({
      device_code: Type.String(),
      user_code: Type.String(),
      verification_uri: Uri,
      verification_uri_complete: Uri,
      expires_in: Type.Integer(),
      interval: Type.Integer(),
    }),
  },
});

export const oauthDevice = defineOperation({
  id: 'oauthDevice',
  errorForm: 'page',
  method: 'get',
  path: '/oauth/device',
  tag,
  summary: 'Show the page on which a person enters the code of a device',
  auth: 'public',
  query,
  responses: { 200: html },
});

export const oauthDecideDevice = defineOperation({
  id: 'oauthDecideDevice',
  errorForm: 'page',
  method: 'post',
  path: '/oauth/device',
  tag,
  summary: 'Sign in, permit or refuse a device: the form of the page',
  auth: 'public',
  query,
  bodyLimitBytes: 16 * 1024,
  rawBody: 'form',
  responses: { 200: html, 303: null },
});

export const oauthDeviceOperations = [oauthDeviceAuthorization, oauthDevice, oauthDecideDevice];
