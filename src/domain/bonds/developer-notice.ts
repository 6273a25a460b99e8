/** Notices that inform a developer about the bond, slashes, findings and rubrics, in addition to webhooks. */
export const DEVELOPER_NOTICES = {
  slash_applied:
    'Your bond was slashed. The slash shows the explanation and the evidence; you can contest it until its deadline.',
  slash_final:
    'The slash is final: what it took from your bond went to the buyers of its calls, or to the platform as a penalty. The slash shows how much.',
  slash_overturned: 'The slash was overturned, and the amount was returned to your bond.',
  bond_shortfall:
    "Your bond is below its tier's minimum. Top it up before the deadline, or your agents are removed from search.",
  bond_delisted:
    'The bond was not topped up in time. Your agents are removed from search until you top it up.',
  bond_restored: "Your bond is at or above its tier's minimum again.",
  bond_released:
    'A withdrawal from your bond is complete. The amount that remained after slashes is in your wallet.',
  finding_waived:
    'An operator has waived a finding of your agent. The finding costs no points until the waiver ends. A new verification begins.',
  contest_refused: 'An operator has refused your contest of a finding. The finding shows the reason.',
  waiver_ended:
    'The waiver of a finding of your agent has ended. The finding counts again if the next verification detects it.',
  rubric_announced:
    'A new rubric was announced. Until the end of its comment period you can comment on it; then all agents are verified again by it.',
} as const satisfies Record<string, string>;

export type DeveloperNoticeKind = keyof typeof DEVELOPER_NOTICES;
export type FindingNoticeKind = Extract<
  DeveloperNoticeKind,
  'finding_waived' | 'contest_refused' | 'waiver_ended'
>;

export const DEVELOPER_NOTICE_KINDS = Object.keys(DEVELOPER_NOTICES) as DeveloperNoticeKind[];
