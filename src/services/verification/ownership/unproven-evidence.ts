/** Evidence of a pass that was kept short, because control of the endpoint's host is not proven. */
import type { CheckCoverage } from '../../../domain/evidence/evidence-facts';
import type { DynamicEvidence, RedTeamEvidence } from '../../../domain/verification/probe-facts';
import { coverage } from '../../../verification/probes/dynamic-testing';
import type { LiveResult } from '../../../verification/probes/live-evidence';
import { ATTEMPTS } from '../../../verification/probes/red-team-suite';

export interface ShortEvidence {
  dynamic: LiveResult['dynamic'] & Pick<DynamicEvidence, 'tools'>;
  redTeam: RedTeamEvidence;
}

/** What the pass left out is a gap that says why, and earns no points. */
export function withoutProof({ dynamic, redTeam }: ShortEvidence): ShortEvidence {
  const { conformance, latency, invalidInput, responseSize, personalData, tools } = dynamic;
  return {
    dynamic: {
      ...dynamic,
      conformance: { ...conformance, coverage: unproven(conformance.coverage) },
      latency: { ...latency, coverage: unproven(latency.coverage) },
      invalidInput: { ...invalidInput, coverage: unproven(invalidInput.coverage) },
      responseSize: { ...responseSize, coverage: unproven(responseSize.coverage) },
      personalData: { ...personalData, coverage: unproven(personalData.coverage) },
      tools: tools && { ...tools, coverage: unproven(tools.coverage) },
    },
    redTeam: {
      ...redTeam,
      attacks: redTeam.attacks.map((attack) => {
        const { length } = ATTEMPTS.filter(({ category }) => category === attack.category);
        const wanted = Math.max(length, attack.coverage.wanted);
        return { ...attack, coverage: unproven({ ...attack.coverage, wanted }) };
      }),
    },
  };
}

/** The same for a pass that made no calls: no check of either stage is complete. */
export function withoutCalls(evidence: ShortEvidence): ShortEvidence {
  const { dynamic, redTeam } = withoutProof(evidence);
  const { invalidInput, streaming } = dynamic;
  const nothing = coverage(1, 0, 'ownership_unproven');
  return {
    dynamic: {
      ...dynamic,
      invalidInput: {
        ...invalidInput,
        coverage: invalidInput.coverage.wanted > 0 ? invalidInput.coverage : nothing,
      },
      streaming: streaming ?? { coverage: nothing, streamed: null },
    },
    redTeam,
  };
}

function unproven({ wanted, looked }: CheckCoverage): CheckCoverage {
  return coverage(wanted, looked, 'ownership_unproven');
}
