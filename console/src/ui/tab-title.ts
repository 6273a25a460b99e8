/** Names of the browser's tabs, which tell ten open pages of one kind apart. */

const ID = /^[a-z]{3}_[0-9a-z_-]+$/i;
const SHORT = 6;

/** The end of the id in an address, such as `3f2a9c` of `/calls/inv_…3f2a9c`; the whole id of an agent. */
export function idIn(pathname: string): string | undefined {
  const id = pathname
    .split('/')
    .reverse()
    .find((part) => ID.test(part));
  if (id === undefined) return undefined;
  return /[0-9a-f]{32}$/.test(id) ? id.slice(-SHORT) : id;
}

interface TabTitle {
  title: string;
  /** What the page is about, if its title does not say it. */
  about?: string | undefined;
  /** The chosen view of the page. */
  view?: string | undefined;
}

/** The name of a tab: title, what it is about, and the view, the most specific that fits first. */
export function tabTitle({ title, about, view }: TabTitle): string {
  const parts = [title];
  if (about !== undefined && !title.includes(about)) parts.push(about);
  if (view !== undefined && view !== '') parts.push(view.replaceAll(/[_-]/g, ' '));
  return `${parts.join(' · ')} · Agent marketplace`;
}
