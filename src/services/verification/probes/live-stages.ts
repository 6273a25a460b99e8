import type { Tool } from '../../../domain/catalogue/tools/tool-list';
import type { DynamicEvidence, RedTeamEvidence } from '../../../domain/verification/probe-facts';
import type { LiveResults } from '../../../verification/probes/live-evidence';
import type { LivePlan } from '../../../verification/probes/live-plan';
import type { Place } from '../../../verification/turns/call-order';
import type { ProbeCallsOptions } from './probe-calls';

/** The evidence of each stage at the endpoint. `tools` is set for MCP agents. */
export interface LiveEvidence {
  dynamic: LiveResults['dynamic'] & Pick<DynamicEvidence, 'tools' | 'jobs' | 'throttled'> & WithTools;
  redTeam: RedTeamEvidence;
}

/** Not evidence: the tools that an MCP server listed; null if it did not. */
export interface WithTools {
  listed?: readonly Tool[] | null;
}

/** `place`: in the order of the run's calls. */
export type LiveOptions = Omit<ProbeCallsOptions, 'seed'> &
  Required<Pick<LivePlan, 'ownHosts' | 'declared'>> & { place: Place };
