import { readFileSync } from 'node:fs';
import { StartRefusal } from './kit/start-refusal';

/** Settings that contain secrets. Each can come from a file instead, whose path is in `<NAME>_FILE`. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DATABASE_SESSION_URL',
  'MIGRATE_DATABASE_URL',
  'TEMPORAL_API_KEY',
  'SESSION_SECRET',
  'MASTER_KEYS',
  'RAZORPAY_KEY_ID',
  'RAZORPAY_KEY_SECRET',
  'RAZORPAY_WEBHOOK_SECRETS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
  'PAYOUT_USDC_TREASURY_KEY',
  'PAYOUT_USDC_FACILITATOR_TOKEN',
  'X402_FACILITATOR_TOKEN',
  'X402_RPC_URL',
  'PAYOUT_USDC_RPC_URL',
  'PAYOUT_ACCOUNT_NUMBER',
  'MAIL_URL',
  'EMBEDDINGS_KEY',
] as const;

/**
 * Returns the environment with the content of every `<NAME>_FILE` of a secret as `<NAME>`, without a final line break.
 * Throws `Error` with the name of the setting when both are set, or when the file is empty or cannot be read.
 */
export function withSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const filled = { ...env };
  for (const name of SECRET_SETTINGS) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    if (env[name]) throw new StartRefusal(`${name} and ${name}_FILE are both set. Set one of them.`);
    filled[name] = contentOf(`${name}_FILE`, path);
  }
  return filled;
}

function contentOf(setting: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StartRefusal(`${setting}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
  if (text.trim() === '') throw new StartRefusal(`${setting}: ${path} is empty`);
  return text;
}
