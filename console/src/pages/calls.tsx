import { CallList } from '../features/calls/call-list';
import { Page } from '../ui/page';

export function CallsPage() {
  return (
    <Page title="Calls" subtitle="Every call of this account, with what it cost.">
      <CallList />
    </Page>
  );
}
