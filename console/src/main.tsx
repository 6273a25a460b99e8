import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './client/queries';
import { followOtherTabs, sessionQuery } from './client/session';
import { router } from './router';
import { theme } from './theme';
import { styleNonce } from './ui/nonce';

// Libraries that write style elements (react-remove-scroll) read the nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
// The session is read while the first page is loaded and drawn.
void queryClient.prefetchQuery(sessionQuery);
followOtherTabs();
createRoot(root).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
    <QueryClientProvider client={queryClient}>
      <Notifications position="bottom-center" />
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
