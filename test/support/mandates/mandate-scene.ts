/**
 * The accounts of tests of mandates: one that pays and owns the agent `writer`; one without a credit that runs this
 * agent with a key; and a third developer, whose agent is called.
 */
import {
  budget,
  newSigner,
  registerSigner,
  signMandate,
  signProof,
  type MandateOptions,
  type ProofOptions,
  type Signer,
} from './mandates';
import { invoke, putLive, register, type InvokeReply, type TestMarket, type TestUser } from '../market';
import { startScene, type Scene, type SceneOptions } from '../scene';

export const INPUT = { text: 'under a mandate' };
export const PRICE = 10;

export interface MandateScene extends Scene {
  /** Whose wallet pays. */
  issuer: TestUser;
  /** The issuer's registered key. */
  signer: Signer;
  /** An agent of the issuer: the subject of its mandates. */
  writerId: string;
  /** The agent's own key. */
  holder: Signer;
  /** The caller that presents mandates: an account without credits. */
  caller: TestUser;
}

export async function startMandateScene(options: SceneOptions = {}): Promise<MandateScene> {
  const scene = await startScene(options);
  const { market, agent } = scene;
  const issuer = await register(market, 'developer', 100_000);
  const [caller, signer, holder, writer] = await Promise.all([
    register(market, 'buyer'),
    registerSigner(market, issuer),
    newSigner(),
    putLive(market, issuer.userId, agent.url),
  ]);
  return { ...scene, issuer, signer, writerId: writer.agentId, holder, caller };
}

/** A mandate of the scene's issuer for its writer, over 100 credits unless `constraints` says otherwise. */
export function mandateOf(scene: MandateScene, options: Partial<MandateOptions> = {}): Promise<string> {
  const { issuer, writerId, signer, holder, market } = scene;
  return signMandate(market, {
    issuer: issuer.userId,
    subject: writerId,
    signer,
    holder,
    constraints: [budget(100)],
    ...options,
  });
}

export interface UseOptions extends Partial<Omit<ProofOptions, 'jws'>> {
  /** Instead of a proof that is made for this call; null: none. */
  proof?: string | null;
  parents?: string[];
  who?: TestUser;
  at?: TestMarket;
  body?: Record<string, unknown>;
}

/** Calls the scene's agent under a mandate, with a fresh proof, as the caller. */
export async function useMandate(
  scene: MandateScene,
  jws: string,
  options: UseOptions = {},
): Promise<InvokeReply> {
  const { agentId = scene.agentId, input = INPUT, holder = scene.holder, idempotencyKey, parents } = options;
  const fresh = () => signProof(scene.market, { ...options, jws, agentId, input, holder });
  const proof = options.proof === undefined ? await fresh() : options.proof;
  const mandate = {
    type: 'a2a.spend.v1',
    jws,
    ...(parents && { parents }),
    ...(proof !== null && { proof }),
  };
  const key = idempotencyKey === undefined ? undefined : { idempotency_key: idempotencyKey };
  const body = { input, mandate, ...key, ...options.body };
  return invoke(options.at ?? scene.market, options.who ?? scene.caller, agentId, body);
}

export const messageOf = ({ body }: InvokeReply) => body.error?.message ?? '';
export const outcomeOf = ({ status, body }: InvokeReply) => [status, body.error?.code ?? null];
