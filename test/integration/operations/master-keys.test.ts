/** The error of a process that starts with other master keys than those of its database. */
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { proveMasterKeys } from '../../../src/services/operations/master-key-proof';
import { startTestApi, type TestApi } from '../../support/stack/api';

const entry = (name: string) => `${name}=${randomBytes(32).toString('base64')}`;
const RIGHT = entry('main:1');
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ env: { MASTER_KEYS: RIGHT } });
});
afterAll(() => api.close());

const prove = (setting: string) =>
  proveMasterKeys({ db: api.pool, cipher: createCipher(parseMasterKeys(setting)) });

it('starts with any keys while nothing is stored, and afterwards with those that open what is stored', async () => {
  await expect(prove(entry('main:1'))).resolves.toBeUndefined();
  const person = {
    email: 'ada@example.com',
    password: 'correct horse battery',
    displayName: 'A',
    role: 'buyer',
  };
  const created = await request(api.url).post('/v1/auth/register').send(person).expect(201);
  await request(api.url)
    .post('/v1/auth/authenticator')
    .set('cookie', created.headers['set-cookie'] ?? '')
    .send({ password: person.password })
    .expect(200);
  await expect(prove(RIGHT)).resolves.toBeUndefined();
  await expect(prove(`${RIGHT},${entry('main:2')}`)).resolves.toBeUndefined();
  for (const wrong of [entry('main:1'), entry('other:1'), `${entry('main:1')},${entry('main:2')}`])
    await expect(prove(wrong)).rejects.toThrow('MASTER_KEYS are not the keys of this database');
  // A damaged value says nothing about the keys.
  await api.pool.query(`UPDATE authenticators SET sealed = '\\x00'`);
  await expect(prove(RIGHT)).resolves.toBeUndefined();
});
