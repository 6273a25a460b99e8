import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '../base/terminal.cjs';

const INTERVAL_MS = 500;

interface SandboxMail {
  to: string;
  subject: string;
  text: string;
}

/** The file that mails of the local stack are written to, one JSON object a line, instead of being sent. */
export function mailFile(home: string): string {
  return join(home, 'mails.jsonl');
}

/** Prints each new mail of the local stack. Mails that exist already, such as those of the first data, are skipped. */
export function watchMails(home: string, { say, bold, dim }: Terminal): void {
  const file = mailFile(home);
  let shown = existsSync(file) ? statSync(file).size : 0;
  setInterval(() => {
    const size = existsSync(file) ? statSync(file).size : 0;
    if (size <= shown) {
      shown = size;
      return;
    }
    const fresh = readFileSync(file).subarray(shown);
    const end = fresh.lastIndexOf('\n') + 1;
    shown += end;
    for (const line of fresh.subarray(0, end).toString('utf8').split('\n').filter(Boolean)) {
      const { to, subject, text } = JSON.parse(line) as SandboxMail;
      say(`\n  ${bold('mail')} to ${to}: ${subject} ${dim('(not sent: this stack has no mail server)')}`);
      for (const part of text.trimEnd().split('\n').filter(Boolean)) say(`    ${part}`);
    }
  }, INTERVAL_MS).unref();
}
