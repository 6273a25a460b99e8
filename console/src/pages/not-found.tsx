import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Empty } from '../ui/states';

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address" action={<LinkButton to="/">Find agents</LinkButton>}>
        The address may be old, or a part of it may be missing.
      </Empty>
    </Page>
  );
}
