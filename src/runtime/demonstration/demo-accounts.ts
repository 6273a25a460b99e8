import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REGISTRATION_FEE_UNITS, unitsToCredits } from '../../domain/ledger/money';
import { createApiClient, type ApiClient } from './api-client';
import { serviceEnvironment } from '../environment';
import type { Account, DemoAccount } from '../secrets';
import { urlsOf, type Stack } from '../stack';
import type { Terminal } from '../base/terminal.cjs';

/** The demonstration accounts, logged in. */
export interface DemoPeople {
  clients: Record<DemoAccount, ApiClient>;
  /** Their user ids. */
  users: Record<DemoAccount, string>;
}

interface Profile {
  user_id: string;
  role: string;
  registration_paid: boolean;
}

const PEOPLE: Record<DemoAccount, { role: 'buyer' | 'developer'; displayName: string }> = {
  buyer: { role: 'buyer', displayName: 'Demo Buyer' },
  developer: { role: 'developer', displayName: 'Demo Developer' },
  operator: { role: 'buyer', displayName: 'Demo Operator' },
  studio: { role: 'developer', displayName: 'Demo Studio' },
  team: { role: 'buyer', displayName: 'Demo Team' },
};

/** Credits that a seller needs: the one-time fee, and a bond for the badge. */
const REGISTRATION_CREDITS = unitsToCredits(REGISTRATION_FEE_UNITS);
export const BOND_CREDITS = { developer: 10_000, studio: 2_500 } as const;
const BUYER_CREDITS = 500;

/** Registers the accounts that do not exist, and logs all of them in. */
export async function ensureAccounts(stack: Stack, terminal: Terminal): Promise<DemoPeople> {
  const { api } = urlsOf(stack);
  const names = Object.keys(PEOPLE) as DemoAccount[];
  const clients = Object.fromEntries(
    names.map((name) => [name, createApiClient(api)]),
  ) as DemoPeople['clients'];
  const users = {} as DemoPeople['users'];
  await terminal.step('accounts', async () => {
    const signedIn = names.map(async (name) => {
      const profile = await signIn(clients[name], stack.secrets.accounts[name], PEOPLE[name]);
      users[name] = profile.user_id;
      if (name === 'operator' && profile.role !== 'operator')
        await grantOperator(stack, stack.secrets.accounts.operator.email);
    });
    await Promise.all(signedIn);
    return 'two developers, two buyers and an operator';
  });
  return { clients, users };
}

async function signIn(client: ApiClient, account: Account, person: object): Promise<Profile> {
  const { status, body } = await client.attempt('POST', '/v1/auth/login', account);
  if (status === 200) return body as Profile;
  return client.call<Profile>('POST', '/v1/auth/register', { ...account, ...person });
}

async function grantOperator(stack: Stack, email: string): Promise<void> {
  const { root, home } = stack.settings;
  const command = join(root, 'dist/cli/market.js');
  const env = serviceEnvironment({ ...stack, home });
  await promisify(execFile)(process.execPath, [command, 'operator', 'grant', email], { cwd: root, env });
}

/** Pays the fees of both sellers and deposits their bonds, as far as that is still to be done. */
export async function ensureSellers(people: DemoPeople, terminal: Terminal): Promise<void> {
  await Promise.all((['developer', 'studio'] as const).map((name) => ensureSeller(people, name, terminal)));
}

async function ensureSeller(
  { clients }: DemoPeople,
  name: keyof typeof BOND_CREDITS,
  terminal: Terminal,
): Promise<void> {
  const client = clients[name];
  const [profile, bond] = await Promise.all([
    client.call<Profile>('GET', '/v1/auth/me'),
    client.call<{ bond_credits: number }>('GET', '/v1/billing/developer/bond'),
  ]);
  const isBonded = bond.bond_credits > 0;
  if (profile.registration_paid && isBonded) return;
  await terminal.step(name, async () => {
    const fee = profile.registration_paid ? 0 : REGISTRATION_CREDITS;
    await ensureCredits(client, fee + (isBonded ? 0 : BOND_CREDITS[name]));
    if (fee > 0) await client.call('POST', '/v1/users/pay-registration');
    if (!isBonded)
      await client.call('POST', '/v1/billing/developer/bond/deposit', { credits: BOND_CREDITS[name] });
    return `paid the one-time fee of ${REGISTRATION_CREDITS} credits, and deposited a bond of ${BOND_CREDITS[name]}`;
  });
}

export async function ensureBuyer({ clients }: DemoPeople): Promise<string> {
  const has = await ensureCredits(clients.buyer, BUYER_CREDITS);
  return `buyer has ${has} credits`;
}

/** Buys what the account lacks of `credits`. Returns what it has. */
async function ensureCredits(account: ApiClient, credits: number): Promise<number> {
  const { available_credits: has } = await account.call<{ available_credits: number }>(
    'GET',
    '/v1/billing/balance',
  );
  if (has >= credits) return has;
  await account.call('POST', '/v1/billing/topup', {
    amountPaise: Math.ceil((credits - has) * 100),
    currency: 'INR',
  });
  return credits;
}
