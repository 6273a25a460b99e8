import request from 'supertest';
import { startTestApi, type TestApi } from '../support/api';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const ada = {
  email: 'Ada@Example.com',
  password: 'correct horse',
  displayName: 'Ada Lovelace',
  role: 'developer',
};

describe('registration', () => {
  it('creates the account and starts a session at once', async () => {
    const agent = request.agent(api.url);
    const created = await agent.post('/v1/auth/register').send(ada).expect(201);
    expect(created.body).toEqual({
      user_id: expect.stringMatching(/^usr_[0-9a-f]{32}$/),
      email: 'ada@example.com',
      displayName: 'Ada Lovelace',
      role: 'developer',
      developer_id: 'dev_ada-lovelace',
      registration_paid: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(created.headers['set-cookie']?.[0]).toMatch(
      /^market_session=.*; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/,
    );
    const profile = await agent.get('/v1/auth/me').expect(200);
    expect(profile.body).toEqual(created.body);
  });
});
