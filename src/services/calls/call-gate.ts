/**
 * Refuses calls with large bodies from their path and length alone, before the body is read (ADR 0070). The checks that
 * need the body, and the exact decision about credits, follow when the call is accepted.
 */
import type { Config } from '../../config';
import { leastCostOf } from '../../domain/catalogue/pricing';
import { MarketError } from '../../domain/errors';
import { UNITS_PER_CREDIT } from '../../domain/ledger/money';
import { readCallFunds } from '../../stores/calls/call-funds';
import { pricedNow } from '../../stores/catalogue/serving-versions';
import type { DbPool } from '../../stores/db';
import type { ServingVersion, ServingVersions } from '../catalogue/serving-version-cache';
import type { SchemaCheck } from '../../kit/schemas/compiled-schemas';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import { inputLimit } from './agent/agent-answer';
import { inputCheckOf } from './agent/input-check';
import { type CallPlaces, limited } from './in-flight-limit';

/** What a surface adds to the input of a call: names, quotes, messages of a protocol. */
const ENVELOPE_BYTES = 256 * 1024;

export interface AnnouncedCall {
  callerUserId: string;
  /** The declared length of the body; null if the client declares none. */
  bytes: number | null;
  /** The call names a mandate in a header, so another account may pay. */
  namesMandate: boolean;
}

export interface CallGateDeps {
  pool: DbPool;
  servingVersions: ServingVersions;
  schemas: Pick<SchemaPool, 'checkFor'>;
  config: Pick<Config, 'MAX_IN_FLIGHT_PER_BUYER'>;
  places: Pick<CallPlaces, 'isPast'>;
}

export function createCallGate({ pool, servingVersions, schemas, config, places }: CallGateDeps) {
  async function check(version: ServingVersion, call: AnnouncedCall): Promise<SchemaCheck | null> {
    await admit(version, call);
    return inputCheckOf(schemas, version);
  }

  async function admit(version: ServingVersion, call: AnnouncedCall): Promise<void> {
    const limitBytes = inputLimit(version) + ENVELOPE_BYTES;
    if (call.bytes !== null && call.bytes > limitBytes) {
      throw new MarketError('payload_too_large', {
        message: `The body has ${call.bytes} bytes; this agent accepts inputs of at most ${inputLimit(version)}.`,
      });
    }
    if (call.namesMandate) return;
    const funds = await readCallFunds(pool, call.callerUserId, version.versionId);
    if (funds.hasKeys) return;
    const leastCredits = funds.isFree ? 0 : leastCostOf(pricedNow(version).terms, 0);
    const placed = {
      buyerUserId: call.callerUserId,
      developerUserId: version.developerUserId,
      // Credits stand for a free call that finds no unpaid place; the statement that accepts the call counts them.
      isUnpaid: leastCredits === 0 && funds.walletUnits === 0,
    };
    if (funds.inFlight >= config.MAX_IN_FLIGHT_PER_BUYER || places.isPast(placed)) throw limited();
    if (funds.walletUnits < leastCredits * UNITS_PER_CREDIT) throw tooPoor(leastCredits);
  }

  return {
    /**
     * Checks a call of an agent. Returns what the thread that parses its input needs to validate it. Throws `not_found`
     * and `invalid_state` as `ServingVersions.ofAgent` does, `payload_too_large`, `concurrency_limited`,
     * `insufficient_credits`.
     */
    async agent(agentId: string, call: AnnouncedCall): Promise<SchemaCheck | null> {
      return check(await servingVersions.ofAgent(agentId, call.callerUserId), call);
    },

    /** Checks a call of a developer's slug. Throws as `agent` does. */
    async slug(owner: string, slug: string, call: AnnouncedCall): Promise<SchemaCheck | null> {
      return check(await servingVersions.ofOwner(owner, slug, call.callerUserId), call);
    },
  };
}

export type CallGate = ReturnType<typeof createCallGate>;

function tooPoor(leastCredits: number): MarketError {
  return new MarketError('insufficient_credits', {
    message:
      `The call costs at least ${leastCredits} credits, and the wallet holds fewer. Top up, or, if a mandate pays for ` +
      'a body of more than 256 KiB, send the mandate also in the header X-Mandate.',
  });
}
