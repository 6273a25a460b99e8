import type { FieldProblem } from '../../domain/errors';
import { inputTypeProblems } from '../../domain/catalogue/manifest';
import { declaredProblems, type Registration } from '../../domain/catalogue/registration';
import { priceProblems } from '../../domain/catalogue/registration-price';
import type { Egress } from '../../egress/agent-call';
import { type HeaderRule, refusedCredential } from '../../egress/header-rules';
import { urlProblem, type UrlVerdict } from '../../egress/url-rules';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import type { Check } from '../../kit/schemas/validator';
import type { BundleChecks } from '../../verification/bundles/bundle-checks';
import { schemaProblems, type SchemaRules } from './manifest-check';
import type { UpstreamAuth } from './upstream-credentials';
import { asRecord } from '../../domain/json-value';

export interface RegistrationCheckDeps {
  /** Checks each field of the body (`contract/registrations.ts`). The `loc` of its problems begins with `body`. */
  checkDocument: Check;
  schemas: SchemaRules;
  bundles: Pick<BundleChecks, 'check'>;
  egress: Pick<Egress, 'vetUrl' | 'checkUrl' | 'open'>;
}

/** A registration without problems, its URLs in normalized form, and its credential separately. */
export interface VettedRegistration {
  registration: Registration;
  /** Undefined if none was given. */
  credential: UpstreamAuth | undefined;
  /** Whether to verify the version now, if the body says so. */
  submit: boolean | undefined;
}

/** Everything but the bundle: far above two schemas of 64 KiB and all other fields at their maximum lengths. */
const MAX_BODY_LENGTH = 262_144;

/** The normalized URLs of a body. A URL is absent if it was not given or was rejected. */
export interface VettedAddresses {
  endpointUrl?: string;
  iconUrl?: string;
}

const HEADER_RULES = {
  header_name_invalid: { field: 'header', msg: 'is not a valid header name' },
  header_name_reserved: { field: 'header', msg: 'is reserved for HTTP or for this service' },
  header_value_invalid: {
    field: 'key',
    msg: 'must be at most 8192 printable Latin-1 characters, without a space at either end',
  },
  credential_too_short: {
    field: 'key',
    msg: 'must contain a secret of at least 16 characters, not counting a scheme such as Bearer, a user name or the names of parameters: a shorter secret can be guessed',
  },
} as const satisfies Record<HeaderRule, { field: string; msg: string }>;

/** All problems of a body except those of its URLs. `loc` begins with `body`. Values are never repeated. */
export function bodyProblems(check: Check, body: Record<string, unknown>): FieldProblem[] {
  const { bundle_base64: _, ...rest } = body;
  if (JSON.stringify(rest).length > MAX_BODY_LENGTH) {
    const msg = `must be at most ${MAX_BODY_LENGTH} characters of JSON without its bundle`;
    return [{ loc: ['body'], msg, type: 'max_bytes' }];
  }
  const others = [
    ...priceProblems(body),
    ...payToProblems(body),
    ...credentialProblems(body),
    ...declaredProblems(body),
    ...inputTypeProblems(asRecord(body.input_schema)),
  ];
  return [...check(body), ...others.map((problem) => ({ ...problem, loc: ['body', ...problem.loc] }))];
}

/**
 * Checks the schemas and the bundle of a body, in the turn of its developer. `loc` begins with `body`. `bundle`: the
 * bytes; undefined if none was given.
 */
export async function examineSource(
  { schemas, bundles }: Pick<RegistrationCheckDeps, 'schemas' | 'bundles'>,
  body: Record<string, unknown>,
  developer: string,
): Promise<{ bundle: Buffer | undefined; problems: FieldProblem[] }> {
  const problems = await schemaProblems(body, schemas, developer);
  const located = problems.map((problem) => ({ ...problem, loc: ['body', ...problem.loc] }));
  const { bundle_base64: given } = body;
  if (typeof given !== 'string') return { bundle: undefined, problems: located };
  const verdict = await bundles.check(developer, given);
  if (verdict.ok) return { bundle: verdict.bytes, problems: located };
  const { msg, type } = verdict;
  return { bundle: undefined, problems: [...located, { loc: ['body', 'bundle_base64'], msg, type }] };
}

/**
 * Checks the URLs of a body. The endpoint's host is resolved, and all its addresses must be public (specification:
 * "must resolve to a public host"). A problem names only the violated rule and reveals neither the addresses nor
 * whether the host resolved. The icon is loaded by browsers and never fetched by this service.
 */
export async function vetAddresses(
  egress: Pick<Egress, 'vetUrl' | 'checkUrl'>,
  body: Record<string, unknown>,
): Promise<{ addresses: VettedAddresses; problems: FieldProblem[] }> {
  const endpoint = field(body.access_config, 'endpoint_url');
  const icon = body.icon_url;
  const verdicts = [
    typeof endpoint === 'string' && endpoint !== '' ? await egress.vetUrl(endpoint) : undefined,
    typeof icon === 'string' && icon !== '' ? egress.checkUrl(icon) : undefined,
  ] as const;
  const [endpointUrl, iconUrl] = verdicts.map((verdict) => (verdict?.ok ? verdict.href : undefined));
  return {
    addresses: {
      ...(endpointUrl !== undefined && { endpointUrl }),
      ...(iconUrl !== undefined && { iconUrl }),
    },
    problems: [
      ...addressProblems(['body', 'access_config', 'endpoint_url'], verdicts[0]),
      ...addressProblems(['body', 'icon_url'], verdicts[1]),
    ],
  };
}

/** Converts a body without problems into the form that is stored. */
export function toVetted(body: Record<string, unknown>, addresses: VettedAddresses): VettedRegistration {
  const given = body as unknown as Registration & {
    upstream_auth?: { header?: string; key: string };
    bundle_base64?: string;
    submit?: boolean;
  };
  const { upstream_auth: credential, bundle_base64: _, submit, x402, ...rest } = given;
  const registration: Registration = {
    ...rest,
    ...(addresses.iconUrl !== undefined && { icon_url: addresses.iconUrl }),
    access_config: {
      ...rest.access_config,
      ...(addresses.endpointUrl !== undefined && { endpoint_url: addresses.endpointUrl }),
    },
    ...(x402 && { x402: { ...x402, pay_to: checksummedAddress(x402.pay_to) ?? x402.pay_to } }),
  };
  return {
    registration,
    credential: credential && { header: credential.header ?? '', key: credential.key },
    submit,
  };
}

function addressProblems(loc: string[], verdict: UrlVerdict | undefined): FieldProblem[] {
  return !verdict || verdict.ok ? [] : [urlProblem(loc, verdict.rule)];
}

function payToProblems(body: Record<string, unknown>): FieldProblem[] {
  const payTo = field(body.x402, 'pay_to');
  if (typeof payTo !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(payTo)) return [];
  if (checksummedAddress(payTo) !== undefined) return [];
  const msg = 'must be a valid payment address; a mixed-case address must match its EIP-55 checksum';
  return [{ loc: ['x402', 'pay_to'], msg, type: 'checksum' }];
}

function credentialProblems(body: Record<string, unknown>): FieldProblem[] {
  const header = field(body.upstream_auth, 'header');
  const key = field(body.upstream_auth, 'key');
  if (typeof key !== 'string' || key === '') return [];
  if (header === undefined) {
    return [{ loc: ['upstream_auth', 'header'], msg: 'is required with a key', type: 'required' }];
  }
  if (typeof header !== 'string' || header === '' || header.length > 128) return [];
  const rule = key.trim() === key ? refusedCredential(header, key) : 'header_value_invalid';
  if (!rule) return [];
  const { field: name, msg } = HEADER_RULES[rule];
  return [{ loc: ['upstream_auth', name], msg, type: rule }];
}

function field(value: unknown, name: string): unknown {
  return asRecord(value)[name];
}
