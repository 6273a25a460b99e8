const SECONDS_PER_MINUTE = 60;

export type Protocol = 'http' | 'mcp' | 'a2a';

/** What a person says about the capabilities of an endpoint. */
interface CapabilityValues {
  protocol: Protocol;
  isStreaming: boolean;
  /** The longest job; empty for an endpoint that takes none. */
  jobMinutes: number | string;
}

export const jobMinutesOf = (
  capabilities: { jobs?: { max_seconds: number } } | undefined,
): number | string => (capabilities?.jobs ? capabilities.jobs.max_seconds / SECONDS_PER_MINUTE : '');

const jobsOf = ({ jobMinutes }: CapabilityValues) =>
  jobMinutes === '' ? null : { max_seconds: Math.round(Number(jobMinutes) * SECONDS_PER_MINUTE) };

/** What a new registration declares. */
export function capabilitiesOf(values: CapabilityValues) {
  const jobs = jobsOf(values);
  // The card of an A2A agent says whether it streams.
  const isStreaming = values.protocol === 'http' && values.isStreaming;
  if (values.protocol === 'mcp' || (!isStreaming && !jobs)) return {};
  return { capabilities: { ...(isStreaming && { streaming: true }), ...(jobs && { jobs }) } };
}

/** What a change declares: what differs from `before`. */
export function changedCapabilities(before: CapabilityValues, values: CapabilityValues) {
  const changed = {
    ...(before.isStreaming !== values.isStreaming && { streaming: values.isStreaming }),
    ...(before.jobMinutes !== values.jobMinutes && { jobs: jobsOf(values) }),
  };
  return Object.keys(changed).length > 0 ? { capabilities: changed } : {};
}
