import type { Config } from '../../config';
import type { Db } from '../../stores/db';
import { createBonds } from './bonds';
import { createSlashes } from './slashes';
import { createWarranties } from './warranties';

/** Services of bonds, slashes and warranties. */
export function createBondParts({ pool, config }: { pool: Db; config: Config }) {
  const { SLASH_COUNTER_WINDOW_MS: counterWindowMs, BOND_TOP_UP_WINDOW_MS: topUpWindowMs } = config;
  return {
    bonds: createBonds({ pool, noticeMs: config.BOND_NOTICE_MS }),
    slashes: createSlashes({ pool, counterWindowMs, topUpWindowMs }),
    warranties: createWarranties({ pool, counterWindowMs, topUpWindowMs }),
  };
}
