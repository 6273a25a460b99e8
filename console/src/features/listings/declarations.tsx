import { formatCode, formatSpan, formatWhole } from '../../ui/format';
import { Facts } from '../../ui/page';
import type { ListingDetail } from './agent-code';

const REGIONS: Record<string, string> = {
  eu: 'European Union',
  us: 'United States',
  in: 'India',
  ap: 'Asia-Pacific',
  global: 'Anywhere',
};

export const PROTOCOL_NAMES = { http: 'HTTPS', mcp: 'MCP server', a2a: 'A2A agent' } as const;

export function declared(isDeclared: boolean | undefined, isContradicted: boolean): string {
  return marked(isDeclared ? 'Yes' : 'No', isContradicted);
}

/** "Of up to 40 minutes", or "No". */
export const jobsText = (jobs: ListingDetail['capabilities']['jobs']): string =>
  jobs ? `Of up to ${formatSpan(jobs.max_seconds)}${milestonesText(jobs.milestones)}` : 'No';

/** What a job costs that fails after it has delivered a part. */
function milestonesText(
  milestones: NonNullable<ListingDetail['capabilities']['jobs']>['milestones'],
): string {
  if (!milestones) return '';
  const parts = milestones.map(({ name, percent }) => `${name} ${percent}%`);
  return `. Paid also if it fails later: ${parts.join(', ')}`;
}

function marked(text: string, isContradicted: boolean): string {
  return isContradicted ? `${text} (contradicted by the trust report)` : text;
}
/** What happens to the data of a call, by name. */
export function dataRows(
  { data_handling: data }: ListingDetail,
  contradicted: ReadonlySet<string>,
): (readonly [string, string])[] {
  const days = data.data_retention_days;
  return [
    [
      'Personal data',
      marked(
        data.pii_processed ? 'Processed' : 'Not processed',
        contradicted.has('data_handling.pii_processed'),
      ),
    ],
    ['Kept for', days === 0 ? 'Not kept' : `${formatWhole(days)} ${days === 1 ? 'day' : 'days'}`],
    ['Region', REGIONS[data.residency] ?? formatCode(data.residency)],
    [
      'Subprocessors',
      marked(
        data.subprocessors?.length ? data.subprocessors.join(', ') : 'None declared',
        contradicted.has('data_handling.subprocessors'),
      ),
    ],
  ];
}

export function DataHandling({
  listing,
  contradicted,
}: {
  listing: ListingDetail;
  contradicted: ReadonlySet<string>;
}) {
  return <Facts rows={dataRows(listing, contradicted)} />;
}
