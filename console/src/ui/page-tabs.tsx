import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChangeSearch, useSearchValue } from './params';

interface Tab {
  value: string;
  label: string;
  content: ReactNode;
}

/** Views of one page. The address of the page holds the chosen one, so that it can be shared. */
export function PageTabs({ tabs, name = 'tab' }: { tabs: readonly Tab[]; name?: string }) {
  const change = useChangeSearch();
  const wanted = useSearchValue(name);
  const chosen = tabs.find(({ value }) => value === wanted) ?? tabs[0];
  return (
    <Tabs value={chosen?.value ?? null} onChange={(value) => change({ [name]: value })} keepMounted={false}>
      <Tabs.List className="tab-list">
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          {content}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
