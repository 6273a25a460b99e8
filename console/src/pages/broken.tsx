import { Page } from '../ui/page';
import { Failure, Waiting } from '../ui/states';

/** What stands in for a page while its code is on its way. */
export function PendingPage() {
  return <Waiting />;
}

/** What stands in for a page whose code did not come. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <Page title="This page did not load">
      <Failure error={error} retry={() => location.reload()} />
    </Page>
  );
}
