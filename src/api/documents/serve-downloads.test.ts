import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import request from 'supertest';
import { trace } from '../middleware/trace';
import { serveDownloads } from './serve-downloads';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'market-downloads-'));
  mkdirSync(path.join(folder, 'files'));
  writeFileSync(path.join(folder, 'files/agent-marketplace-cli.tgz'), 'tarball');
  writeFileSync(path.join(folder, 'secret.txt'), 'secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

function site() {
  const app = express().disable('x-powered-by');
  app.use(trace(), serveDownloads(path.join(folder, 'files')));
  app.use((_req, res) => res.status(204).end());
  app.use(((error, _req, res, _next) =>
    res.status(404).json({ message: (error as Error).message })) as express.ErrorRequestHandler);
  return request(app);
}

describe('the packages at /downloads', () => {
  it('can be downloaded without authentication, and are revalidated', async () => {
    const { body } = await site()
      .get('/downloads/agent-marketplace-cli.tgz')
      .expect(200)
      .expect('Cache-Control', 'no-cache');
    expect(String(body)).toBe('tarball');
  });

  it.each([
    '/downloads/',
    '/downloads/other.tgz',
    '/downloads/%2e%2e/secret.txt',
    '/downloads/..%2fsecret.txt',
    '/downloads/%00',
    '/downloads/%ff',
  ])('answers %s with 404', async (address) => {
    const { status, text } = await site().get(address);
    // The client itself resolves `..`, so such an address may leave /downloads and reach the next handler.
    expect([404, 204]).toContain(status);
    expect(text).not.toContain('secret');
  });

  it('refuses methods other than GET and HEAD, and passes other paths on', async () => {
    await site().post('/downloads/agent-marketplace-cli.tgz').expect(404).expect('Allow', 'GET, HEAD');
    await site().get('/downloadsx').expect(204);
  });
});
