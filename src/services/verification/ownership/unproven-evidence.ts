/** Evidence of a pass that was kept short, because control of the endpoint's host is not proven. */
import type { CheckCoverage } from '../../../domain/evidence/evidence-facts';
import type { DynamicEvidence, RedTeamEvidence } from '../../../domain/verification/probe-facts';
import { coverage } from '../../../verification/probes/dynamic-testing';
import type { LiveResults } from '../../../verification/probes/live-evidence';
import { ATTEMPTS } from '../../../verification/probes/red-team-suite';

type ShortDynamic = LiveResults['dynamic'] & Pick<DynamicEvidence, 'tools'>;

/** Each part that the pass left out is a gap with the reason, and earns no points. */
export const withoutProof = {
  dynamic(dynamic: ShortDynamic): ShortDynamic {
    const { conformance, latency, invalidInput, responseSize, personalData, tools } = dynamic;
    return {
      ...dynamic,
      conformance: { ...conformance, coverage: unproven(conformance.coverage) },
      latency: { ...latency, coverage: unproven(latency.coverage) },
      invalidInput: { ...invalidInput, coverage: unproven(invalidInput.coverage) },
      responseSize: { ...responseSize, coverage: unproven(responseSize.coverage) },
      personalData: unproven(personalData),
      tools: tools && { ...tools, coverage: unproven(tools.coverage) },
    };
  },

  redTeam(redTeam: RedTeamEvidence): RedTeamEvidence {
    const attacks = redTeam.attacks.map((attack) => {
      const { length } = ATTEMPTS.filter(({ category }) => category === attack.category);
      const wanted = Math.max(length, attack.coverage.wanted);
      return { ...attack, coverage: unproven({ ...attack.coverage, wanted }) };
    });
    return { ...redTeam, attacks };
  },
};

/** The same for a pass that made no calls: no check of either stage is complete. */
export const withoutCalls = {
  dynamic(evidence: ShortDynamic): ShortDynamic {
    const dynamic = withoutProof.dynamic(evidence);
    const { invalidInput, streaming } = dynamic;
    const nothing = coverage(1, 0, 'ownership_unproven');
    return {
      ...dynamic,
      invalidInput: {
        ...invalidInput,
        coverage: invalidInput.coverage.wanted > 0 ? invalidInput.coverage : nothing,
      },
      streaming: streaming ?? { coverage: nothing, streamed: null },
    };
  },

  redTeam: withoutProof.redTeam,
};

function unproven({ wanted, looked }: CheckCoverage): CheckCoverage {
  return coverage(wanted, looked, 'ownership_unproven');
}
