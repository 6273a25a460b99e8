/**
 * The SDK keeps an async local storage for each connection, and leaves it enabled when the connection is closed. Node
 * copies the value of every enabled storage to every promise. A process of the product has one connection; one of jest
 * makes two for each market.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { NativeConnection } from '@temporalio/worker';

type Stored = { callContextStorage?: AsyncLocalStorage<unknown> };

const close = NativeConnection.prototype.close;
NativeConnection.prototype.close = async function closeAndDisable(this: NativeConnection): Promise<void> {
  await close.call(this);
  const { callContextStorage } = this as unknown as Stored;
  if (!callContextStorage) throw new Error('this SDK keeps deadlines in another way: closed-connections.ts');
  callContextStorage.disable();
};
