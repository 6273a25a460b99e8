import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createAuthority, issueLeaf, type KeyPair } from '../kit/crypto/certificates';
import { createMailSender, type MailSender, type MailSettings } from './mail';

interface Received {
  from: string | undefined;
  to: string[];
  isEncrypted: boolean;
  user: string | undefined;
  message: string;
}

let authority: KeyPair;
let leaf: KeyPair;
beforeAll(async () => {
  authority = await createAuthority();
  leaf = await issueLeaf(authority, { ips: ['127.0.0.1'] });
});

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/**
 * An SMTP server on loopback, which accepts the login `market`/`p@ss` and refuses recipients that begin with "gone".
 */
async function startServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const server = new SMTPServer({
    key: leaf.keyPem,
    cert: leaf.certPem,
    onAuth: ({ username, password }, _session, done) =>
      username === 'market' && password === 'p@ss'
        ? done(null, { user: username })
        : done(new Error('wrong login')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('gone')
        ? done(Object.assign(new Error('no such user'), { responseCode: 550 }))
        : done(),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? undefined : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
          message: Buffer.concat(chunks).toString('utf8'),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  open.push({ close: () => server.close() });
  return { port, received };
}

function sender(url: string, settings: Partial<MailSettings> = {}): MailSender {
  const made = createMailSender({
    url,
    from: 'Marketplace <no-reply@market.example>',
    requireTls: true,
    extraCaPem: authority.certPem,
    log: () => undefined,
    ...settings,
  });
  open.push(made);
  return made;
}

const MAIL = { to: 'ada@example.com', subject: 'Häuser & more', text: 'First line\n\n.\nLast line €\n' };

it.each([
  ['smtps:', { secure: true }],
  ['smtp: with STARTTLS', { secure: false }],
])('delivers a mail by %s, encrypted and logged in', async (_how, options) => {
  const { port, received } = await startServer(options);
  const scheme = options.secure ? 'smtps' : 'smtp';
  expect(await sender(`${scheme}://market:p%40ss@127.0.0.1:${port}`).send(MAIL)).toBe('sent');
  expect(received).toHaveLength(1);
  const [{ message, ...envelope } = { message: '' }] = received;
  expect(envelope).toEqual({
    from: 'no-reply@market.example',
    to: [MAIL.to],
    isEncrypted: true,
    user: 'market',
  });
  expect(message).toMatch(/^Subject: =\?UTF-8\?/m);
  expect(message).toMatch(/^To: ada@example\.com\r$/m);
  expect(message).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  const [, body = ''] =
    message.split('\r\n\r\n').length > 1 ? [message, message.slice(message.indexOf('\r\n\r\n'))] : [];
  expect(body).toContain('First line');
});

it('sends to exactly the given address, whatever characters it has', async () => {
  const { port, received } = await startServer({ secure: true });
  const to = "o'brien+a=b@example.com";
  expect(await sender(`smtps://market:p%40ss@127.0.0.1:${port}`).send({ ...MAIL, to })).toBe('sent');
  expect(received[0]?.to).toEqual([to]);
});

it('sends nothing without encryption where it is required', async () => {
  const { port, received } = await startServer({ disabledCommands: ['STARTTLS'], authOptional: true });
  await expect(sender(`smtp://127.0.0.1:${port}`).send(MAIL)).rejects.toThrow();
  expect(received).toEqual([]);
  expect(await sender(`smtp://127.0.0.1:${port}`, { requireTls: false }).send(MAIL)).toBe('sent');
});

it('sends nothing to a server whose certificate is not valid', async () => {
  const { port, received } = await startServer({ secure: true });
  const url = `smtps://market:p%40ss@127.0.0.1:${port}`;
  await expect(sender(url, { extraCaPem: undefined }).send(MAIL)).rejects.toThrow(/certificate/);
  expect(received).toEqual([]);
});

it('reports a recipient that the server refuses permanently, and throws transient errors', async () => {
  const { port } = await startServer({ secure: true });
  const url = `smtps://market:p%40ss@127.0.0.1:${port}`;
  expect(await sender(url).send({ ...MAIL, to: 'gone@example.com' })).toBe('refused');
  const wrong = sender(`smtps://market:hunter2@127.0.0.1:${port}`).send(MAIL);
  await expect(wrong).rejects.toThrow(expect.not.stringContaining('hunter2'));
  const busy = await startServer({
    secure: true,
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('try again later'), { responseCode: 451 })),
  });
  await expect(sender(`smtps://market:p%40ss@127.0.0.1:${busy.port}`).send(MAIL)).rejects.toThrow();
  await expect(sender('smtps://market:p%40ss@127.0.0.1:1').send(MAIL)).rejects.toThrow();
});
