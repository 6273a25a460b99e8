/** What the service tells a developer about bond and slashes, besides webhooks. */
export const DEVELOPER_NOTICES = {
  slash_applied:
    'Your bond was slashed. Explanation and evidence are with the slash; you may answer until its deadline.',
  slash_final: 'The slash is final. Affected buyers got their share.',
  slash_overturned: 'The slash was overturned, and your bond has the amount back.',
  bond_shortfall:
    "Your bond is below its tier's minimum. Top it up until the deadline, or your agents leave the search.",
  bond_delisted: 'The bond was not topped up in time. Your agents are out of search until it is.',
  bond_restored: "Your bond has reached its tier's minimum again.",
  bond_released: 'A withdrawal from your bond has ended. What slashes had left is in your wallet.',
} as const satisfies Record<string, string>;

export type DeveloperNoticeKind = keyof typeof DEVELOPER_NOTICES;

export const DEVELOPER_NOTICE_KINDS = Object.keys(DEVELOPER_NOTICES) as DeveloperNoticeKind[];
