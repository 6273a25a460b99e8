import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMailSender } from '../../../src/egress/mail';
import { createLogger } from '../../../src/logger';
import { createAccountMails } from '../../../src/services/accounts/account-mails';
import type { Db } from '../../../src/stores/db';

export interface ReadMail {
  to: string;
  subject: string;
  text: string;
  messageId?: string;
}

/** A file that the sandbox of a market writes its mails to: `startMarket({ env: { MAIL_URL: box.url } })`. */
export function mailBox() {
  const folder = mkdtempSync(join(tmpdir(), 'mails-'));
  const file = join(folder, 'mails.jsonl');
  const read = (): ReadMail[] => {
    try {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as ReadMail);
    } catch {
      return [];
    }
  };
  return {
    url: `sandbox:${file}`,
    /** All mails to an address so far. */
    to: (address: string) => read().filter(({ to }) => to === address),
    /** Those about notices. */
    noticesTo: (address: string) =>
      read().filter(({ to, messageId }) => to === address && messageId?.startsWith('<notice-')),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The outbox of a database, with a sandbox instead of a mail server. */
export function sandboxMails(db: Db, options: { trustsUnconfirmed?: boolean } = {}) {
  const box = mailBox();
  const sender = createMailSender({
    url: box.url,
    from: 'market@example.com',
    requireTls: false,
    log: () => undefined,
  });
  const mails = createAccountMails({
    db,
    sender,
    origin: 'https://market.example',
    trustsUnconfirmed: options.trustsUnconfirmed ?? true,
    logger: createLogger('mails-test', 'silent'),
  });
  return {
    /** Sends what is due and returns all mails to an address so far. */
    async to(address: string): Promise<ReadMail[]> {
      await mails.send();
      return box.to(address);
    },
    close: box.close,
  };
}

/** The token of a mail. */
export function tokenOf(mail: ReadMail | undefined): string {
  const token = /"token": "([A-Za-z0-9_-]{43})"/.exec(mail?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`no token in ${JSON.stringify(mail)}`);
  return token;
}
