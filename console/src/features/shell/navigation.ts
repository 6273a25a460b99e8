import {
  IconActivity,
  IconBell,
  IconBuilding,
  IconBuildingStore,
  IconCalendarDollar,
  IconChartBar,
  IconCoins,
  IconGavel,
  IconHeartRateMonitor,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconLock,
  IconLockOpen,
  IconReceipt2,
  IconRobot,
  IconScale,
  IconShieldDollar,
  IconStar,
  IconUpload,
  IconUser,
  IconUsers,
  IconWallet,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import { mayDo, type Permission } from '../../client/owner';
import type { Profile } from '../../client/session';

export interface Destination {
  to: string;
  label: string;
  icon: Icon;
  /** What the role of a member must permit. */
  needs?: Permission;
  /** Where the pages below it have their addresses, if not below its own. */
  below?: string;
}
export interface Group {
  label: string;
  items: Destination[];
}

const MARKET: Group = {
  label: 'Marketplace',
  items: [{ to: '/', label: 'Find agents', icon: IconBuildingStore }],
};
const OWN_MARKET: Group = {
  ...MARKET,
  items: [...MARKET.items, { to: '/favourites', label: 'Favourites', icon: IconStar }],
};
const BUYING: Group = {
  label: 'Buying',
  items: [
    { to: '/calls', label: 'Calls', icon: IconActivity },
    { to: '/wallet', label: 'Wallet', icon: IconWallet },
    { to: '/keys', label: 'API keys', icon: IconKey },
    { to: '/disputes', label: 'Disputes', icon: IconScale },
    { to: '/webhooks', label: 'Webhooks', icon: IconWebhook },
  ],
};
const SELLING: Group = {
  label: 'Selling',
  items: [
    { to: '/developer', label: 'Overview', icon: IconLayoutDashboard, needs: 'viewMoney' },
    { to: '/developer/agents', label: 'Agents', icon: IconRobot },
    { to: '/developer/publish', label: 'Publish', icon: IconUpload, needs: 'agents' },
    {
      to: '/developer/earnings',
      label: 'Earnings',
      icon: IconCoins,
      below: '/developer/payouts',
      needs: 'viewMoney',
    },
    {
      to: '/developer/bond',
      label: 'Bond',
      icon: IconShieldDollar,
      below: '/developer/slashes',
      needs: 'viewMoney',
    },
  ],
};
const BECOMING: Group = {
  label: 'Selling',
  items: [{ to: '/developer', label: 'Start selling', icon: IconUpload, needs: 'settings' }],
};
const OPERATING: Group = {
  label: 'Operating',
  items: [
    { to: '/operator', label: 'Decisions', icon: IconGavel },
    { to: '/operator/figures', label: 'Numbers', icon: IconChartBar },
    { to: '/operator/accounts', label: 'Accounts', icon: IconUsers },
    { to: '/operator/agents', label: 'Agents', icon: IconRobot },
    { to: '/operator/calls', label: 'Calls', icon: IconActivity },
    { to: '/operator/disputes', label: 'Disputes', icon: IconScale },
    { to: '/operator/slashes', label: 'Slashes', icon: IconShieldDollar },
    { to: '/operator/payments', label: 'Payments', icon: IconReceipt2 },
    { to: '/operator/payouts', label: 'Payouts', icon: IconCalendarDollar },
    { to: '/operator/ledger', label: 'Ledger', icon: IconLock },
    { to: '/operator/audit', label: 'Audit log', icon: IconHistory },
    { to: '/platform', label: 'Health', icon: IconHeartRateMonitor },
  ],
};
const ACCOUNT: Group = {
  label: 'Account',
  items: [
    { to: '/notices', label: 'Notices', icon: IconBell },
    { to: '/access', label: 'Access requests', icon: IconLockOpen },
    { to: '/account', label: 'Profile and security', icon: IconUser },
    { to: '/organisations', label: 'Organisations', icon: IconBuilding },
    { to: '/status', label: 'Status', icon: IconHeartRateMonitor },
  ],
};

const STATUS: Group = {
  label: 'About',
  items: [{ to: '/status', label: 'Status', icon: IconHeartRateMonitor }],
};

/**
 * What a visitor, a buyer, a developer and an operator find in the navigation; members of an organisation what their
 * role permits. `owner`: the account for which the page acts.
 */
export function navigationOf(owner: Profile | null | undefined): Group[] {
  return groupsOf(owner)
    .map(({ label, items }) => ({
      label,
      items: items.filter(({ needs }) => needs === undefined || mayDo(owner, needs)),
    }))
    .filter(({ items }) => items.length > 0);
}

function groupsOf(owner: Profile | null | undefined): Group[] {
  if (!owner) return [MARKET, STATUS];
  if (owner.role === 'operator') return [OPERATING, OWN_MARKET, ACCOUNT];
  return owner.role === 'developer'
    ? [OWN_MARKET, SELLING, BUYING, ACCOUNT]
    : [OWN_MARKET, BUYING, BECOMING, ACCOUNT];
}
