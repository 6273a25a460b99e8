import type { RubricRow } from '../../services/verification/rubrics';

export function rubricView(row: RubricRow) {
  const status =
    row.withdrawnAt !== null
      ? ('withdrawn' as const)
      : row.effectiveAt === null
        ? ('announced' as const)
        : row.rolledOutAt === null
          ? ('rolling_out' as const)
          : ('in_effect' as const);
  return {
    version: row.version,
    status,
    changelog: row.changelog,
    rfc_url: row.rfcUrl,
    weights_changed: row.weightsChanged,
    published_at: row.publishedAt.toISOString(),
    comment_ends_at: row.commentEndsAt.toISOString(),
    effective_at: row.effectiveAt?.toISOString() ?? null,
  };
}

export function rubricDetailView(row: RubricRow) {
  return { ...rubricView(row), document: row.document };
}
