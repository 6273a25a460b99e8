import { MarketError } from '../../domain/errors';
import {
  changeProblems,
  mergeChange,
  needsVerification,
  normalized,
  type Protocol,
  type Registration,
  type RegistrationDocument,
  registrationOf,
} from '../../domain/catalogue/registration';
import type { CardSignature } from '../../domain/catalogue/cards/card-listing';
import { priceCreditsOf } from '../../domain/catalogue/registration-price';
import { agentIdOf } from '../../domain/catalogue/slug';
import { canonicalJson } from '../../kit/json/canonical-json';
import type { Cipher } from '../../kit/crypto/cipher';
import { newSigningSecret } from '../../kit/crypto/webhook-signature';
import { requestMail } from '../../stores/accounts/mails';
import { copyBundle, supersedeOthers } from '../../stores/catalogue/agent-versions';
import { type AgentRow, insertAgent } from '../../stores/catalogue/agents';
import { withdrawVersion } from '../../stores/catalogue/version-numbers';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import { firstMondayOf } from '../payouts/payout-destinations';
import { asRecord } from '../../domain/json-value';
import { cardOf } from './cards/registered-card';
import { signingSecretContext } from './signing-secret';
import { refusalOf } from './manifest-check';
import { readOwnAgent, requireSelfHosted } from './own-agent';
import { lockOwnAgent, type Publisher, requireActive, requireRegistration } from './publishing';
import {
  vetAddresses,
  type VettedAddresses,
  bodyProblems,
  examineSource,
  type RegistrationCheckDeps,
  toVetted,
} from './registration-check';
import {
  FIRST,
  insertRegistration,
  type Newest,
  type NewRegistration,
  putLive,
  readNewest,
  readServing,
  type RegisteredVersion,
  requireFreeSlug,
} from './registration-versions';
import {
  moveCredential,
  requireSameOrigin,
  storeCredential,
  type UpstreamCredentials,
} from './upstream-credentials';

export interface RegistrationsDeps extends RegistrationCheckDeps {
  pool: DbPool;
  cipher: Cipher;
  priceNoticeMs: number;
  credentials: Pick<UpstreamCredentials, 'store' | 'isSet' | 'keepOnly'>;
}

/** A registration as shown to its owner. */
export interface OwnRegistration {
  registration: Registration;
  /** True when a credential for the endpoint is stored. */
  credentialSet: boolean;
  /** Of the card of an A2A agent. */
  cardSignature: CardSignature | undefined;
}

/**
 * Self-hosted agents (specification, "Self-hosted agent registration"; contract, "Publishing and the agent's life"). A
 * registration is version 1.0.0 of an agent; each change of it is the next `1.n.0`. Hosts are resolved
 * before the transaction. The caller requests the verification after it.
 */
export function createRegistrations(deps: RegistrationsDeps) {
  const { pool } = deps;
  return {
    /** Throws `registration_required`; 422 with every invalid field, including `unsafe_url`; `slug_taken`. */
    async register(publisher: Publisher, body: Record<string, unknown>): Promise<RegisteredVersion> {
      requireRegistration(publisher);
      const { addresses, problems } = await vetAddresses(deps.egress, body);
      const source = await examineSource(deps, body, publisher.userId);
      const { protocol } = asRecord(body.access_config);
      const { card, problems: ofCard } = await cardOf(deps.egress, protocol, addresses.endpointUrl);
      problems.push(...source.problems, ...ofCard);
      const { registration, credential, submit = true } = vet(deps, body, addresses, problems);
      const agentId = agentIdOf(registration.slug, FIRST.major);
      const kind: Protocol = registration.access_config.protocol ?? 'http';
      const secret = await deps.cipher.seal(Buffer.from(newSigningSecret()), signingSecretContext(agentId));
      return withTransaction(pool, async (tx) => {
        const { slug } = registration;
        const agent = { agentId, slug, major: FIRST.major, developerUserId: publisher.userId, kind };
        const isNew = await requireFreeSlug(tx, slug, publisher.userId, kind);
        if (isNew) await insertAgent(tx, { ...agent, sealedSigningSecret: secret });
        const version = await insertRegistration(tx, {
          agentId,
          registration,
          author: publisher.developerId,
          number: FIRST,
          submit,
          bundle: source.bundle,
          card,
        });
        await storeCredential(deps, tx, agentId, registration, credential);
        const payTo = payToOf(registration);
        if (payTo !== '') await requestAddressMail(tx, publisher, agentId, payTo);
        const state = submit ? 'submitted' : 'draft';
        return answer(deps, tx, publisher, { ...version, agentId, state, toVerify: submit });
      });
    },

    /**
     * Applies a change to the newest registration. A change that `needsVerification` waits for it while the old version
     * serves; other changes take effect at once. A change of a draft is a draft, unless `submit` is true. Throws
     * `not_found` for agents of others; `invalid_state` if the agent has a manifest, is suspended or retired; 422 with
     * every invalid field. `allowNewAddress` is called before a change of the address that gets the earnings is
     * applied, and throws unless the caller may change it.
     */
    change: (
      publisher: Publisher,
      agentId: string,
      change: Record<string, unknown>,
      allowNewAddress: () => Promise<void>,
    ): Promise<RegisteredVersion> => changeOf(deps, publisher, { agentId, change, allowNewAddress }),

    /** The newest registration of an agent of the caller. Throws `not_found` for any other agent. */
    async get(userId: string, agentId: string): Promise<OwnRegistration> {
      const agent = await readOwnAgent(pool, userId, agentId);
      if (agent.kind === 'manifest') throw new MarketError('not_found');
      const { registration, document } = await readNewest(pool, agent);
      const credentialSet = await deps.credentials.isSet(pool, agentId);
      return { registration, credentialSet, cardSignature: document.agent_card?.signature };
    },
  };
}

export type Registrations = ReturnType<typeof createRegistrations>;

interface ChangeRequest {
  agentId: string;
  change: Record<string, unknown>;
  allowNewAddress: () => Promise<void>;
}

async function changeOf(
  deps: RegistrationsDeps,
  publisher: Publisher,
  { agentId, change, allowNewAddress }: ChangeRequest,
): Promise<RegisteredVersion> {
  const { pool } = deps;
  requireRegistration(publisher);
  const agent = await readOwnAgent(pool, publisher.userId, agentId);
  requireSelfHosted(agent);
  const before = await readNewest(pool, agent);
  const { addresses, problems } = await vetAddresses(deps.egress, change);
  const { bundle, problems: ofSource } = await examineSource(deps, change, publisher.userId);
  const { card, problems: ofCard } = await cardOf(
    deps.egress,
    agent.kind,
    addresses.endpointUrl ?? before.document.endpoint.url,
    before.document,
  );
  problems.push(...ofSource, ...ofCard);
  const { registration } = merge(deps, before.registration, change, addresses, problems);
  const isNew = payToOf(registration) !== payToOf(before.registration);
  if (isNew) await allowNewAddress();
  const allowed = isNew ? payToOf(registration) : undefined;
  return withTransaction(pool, async (tx) => {
    const locked = await lockOwnAgent(tx, publisher.userId, agentId);
    requireActive(locked);
    const newest = await readNewest(tx, locked);
    const merged = merge(deps, newest.registration, change, addresses, []);
    await reportAddress(tx, publisher, locked, {
      before: payToOf(newest.registration),
      after: payToOf(merged.registration),
      allowed,
    });
    return apply(deps, tx, publisher, locked, newest, { ...merged, bundle, card });
  });
}

type Problems = Awaited<ReturnType<typeof vetAddresses>>['problems'];

/** Returns the registration to store. Throws 422 with all problems. */
function vet(
  deps: RegistrationsDeps,
  body: Record<string, unknown>,
  addresses: VettedAddresses,
  addressProblems: Problems,
) {
  const problems = [...bodyProblems(deps.checkDocument, body), ...addressProblems];
  if (problems.length > 0) throw refusalOf(problems);
  return toVetted(body, addresses);
}

function merge(
  deps: RegistrationsDeps,
  current: Registration,
  change: Record<string, unknown>,
  addresses: VettedAddresses,
  addressProblems: Problems,
) {
  const fixed = changeProblems(current, change).map((problem) => ({
    ...problem,
    loc: ['body', ...problem.loc],
  }));
  return vet(deps, mergeChange(current, change), addresses, [...fixed, ...addressProblems]);
}

type Change = ReturnType<typeof toVetted> & Pick<NewRegistration, 'bundle' | 'card'>;

/** Applies a change under the agent's lock. A change without effect creates no version. */
async function apply(
  deps: RegistrationsDeps,
  tx: Db,
  publisher: Publisher,
  agent: AgentRow,
  newest: Newest,
  { registration, credential, bundle, card, submit: asked }: Change,
): Promise<RegisteredVersion> {
  const { agentId } = agent;
  const { version, document } = newest;
  const isSame =
    canonicalJson(registrationOf(document)) === canonicalJson(normalized(registration)) &&
    document.agent_card?.sha256 === card?.sha256;
  const isDraft = version.state === 'draft';
  const submit = asked ?? !isDraft;
  const isSet = await deps.credentials.isSet(tx, agentId);
  const clearsNothing = credential?.key === '' && !isSet;
  if (isSet && !credential) requireSameOrigin(registrationOf(document), registration);
  if (isSame && !bundle && (!credential || clearsNothing) && submit === !isDraft) {
    const { versionId, state } = version;
    return answer(deps, tx, publisher, { agentId, versionId, document, state, toVerify: false });
  }
  const number = { ...version.number, minor: version.number.minor + 1, patch: 0 };
  const author = publisher.developerId;
  const made = await insertRegistration(tx, { agentId, registration, author, number, submit, bundle, card });
  if (!bundle) await copyBundle(tx, version.versionId, made.versionId);
  if (isDraft) await withdrawVersion(tx, agentId, version.version);
  const serving = await readServing(tx, agent);
  await moveCredential(deps, tx, agentId, { before: document, serving, made: made.document, credential });
  if (!submit) return answer(deps, tx, publisher, { ...made, agentId, state: 'draft', toVerify: false });
  const toVerify = !serving || bundle !== undefined || needsVerification(serving, made.document);
  if (toVerify) await supersedeOthers(tx, agentId, ['submitted'], made.versionId);
  else await putLive(tx, agentId, made.versionId, deps.priceNoticeMs);
  return answer(deps, tx, publisher, { ...made, agentId, state: toVerify ? 'submitted' : 'live', toVerify });
}

/** The address that gets the earnings of an agent; empty for the payout method of its developer. */
const payToOf = ({ x402 }: Registration): string => x402?.pay_to ?? '';

/**
 * Requests the mail about a new address. Throws `invalid_state` if another change meanwhile made it a different one.
 */
async function reportAddress(
  tx: Db,
  publisher: Publisher,
  { agentId }: AgentRow,
  { before, after, allowed }: { before: string; after: string; allowed: string | undefined },
): Promise<void> {
  if (before === after) return;
  if (after !== allowed)
    throw new MarketError('invalid_state', {
      message: 'The registration was changed at the same time. Repeat the change.',
    });
  await requestAddressMail(tx, publisher, agentId, after);
}

/** The mail that says which address gets the earnings of an agent, and from which Monday on. */
async function requestAddressMail(
  tx: Db,
  publisher: Publisher,
  agentId: string,
  payTo: string,
): Promise<void> {
  const monday = firstMondayOf(new Date()).toISOString().slice(0, 10);
  const subject = `${agentId}, ${payTo === '' ? 'your payout method' : payTo}, from Monday ${monday}`;
  await requestMail(tx, { recipient: publisher.userId, kind: 'payout_address_changed', subject });
}

async function answer(
  deps: RegistrationsDeps,
  tx: Db,
  publisher: Publisher,
  made: Pick<RegisteredVersion, 'agentId' | 'versionId' | 'state' | 'toVerify'> & {
    document: RegistrationDocument;
  },
): Promise<RegisteredVersion> {
  const { document, ...rest } = made;
  return {
    ...rest,
    owner: publisher.developerId,
    slug: document.agent_id,
    credentialSet: await deps.credentials.isSet(tx, made.agentId),
    priceCredits: priceCreditsOf(registrationOf(document)),
  };
}
