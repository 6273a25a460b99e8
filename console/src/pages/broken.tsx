import { Page } from '../ui/page';
import { Failure, Waiting } from '../ui/states';

/** The placeholder of a page while its code is loaded. */
export function PendingPage() {
  return <Waiting />;
}

/** The placeholder of a page whose code could not be loaded. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <Page title="This page did not load">
      <Failure error={error} retry={() => location.reload()} />
    </Page>
  );
}
