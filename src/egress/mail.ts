/**
 * Mails by SMTP. The operator chooses the server, so the rules for untrusted addresses do not apply; in production the
 * connection must be encrypted and the server's certificate valid.
 */
import { appendFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { createTransport } from 'nodemailer';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The same for each attempt, so that a mailbox can tell a repeated mail. */
  messageId?: string;
}

export interface MailSettings {
  /** `smtps://user:password@host[:port]`, `smtp://…`, `sandbox:` or `sandbox:/path`. */
  url: string;
  from: string;
  /** Refuse to send over a connection that is not encrypted. */
  requireTls: boolean;
  /** PEM of an authority to trust in addition to the public ones. */
  extraCaPem?: string | undefined;
  /** Writes a mail of the sandbox that has no file. */
  log: (mail: Mail) => void;
}

export interface MailSender {
  /**
   * Sends a mail. Returns `refused` if the server will never accept it. Throws when it can be tried again later; the
   * error contains no password.
   */
  send: (mail: Mail) => Promise<'sent' | 'refused'>;
  close: () => void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

export function createMailSender(settings: MailSettings): MailSender {
  return settings.url.startsWith('sandbox:') ? sandboxSender(settings) : smtpSender(settings);
}

/** For development: mails go to a file, one JSON object a line, or to the log. */
function sandboxSender({ url, log }: MailSettings): MailSender {
  const file = url.slice('sandbox:'.length);
  return {
    send(mail) {
      if (file) appendFileSync(file, `${JSON.stringify(mail)}\n`, { mode: 0o600 });
      else log(mail);
      return Promise.resolve('sent');
    },
    close: () => undefined,
  };
}

function smtpSender({ url, from, requireTls, extraCaPem }: MailSettings): MailSender {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && requireTls,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    tls: { minVersion: 'TLSv1.2', ...(extraCaPem && { ca: [...rootCertificates, extraCaPem] }) },
    pool: true,
    maxConnections: 5,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text, messageId }) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          ...(messageId && { messageId }),
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return 'sent';
      } catch (error) {
        if (isRefusal(error)) return 'refused';
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** True if the server refused this recipient or this mail for good (RFC 5321, 5yz), not the login or the connection. */
function isRefusal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}
