/** The hold of a job, and what it waits for. */
export interface JobHold {
  invocation_id: string;
  agent_id: string;
  amount_units: number;
  held_at: string;
  ends_at: string;
  waits_for: 'agent' | 'settlement';
}

/** The oldest holds of open jobs of the buyer $1, as JSON. */
export const JOB_HOLDS = `coalesce((SELECT jsonb_agg(j) FROM (
                    SELECT j.invocation_id, j.agent_id, h.amount_units, h.created_at AS held_at, j.ends_at,
                           job_waits_for(j) AS waits_for
                      FROM jobs j CROSS JOIN LATERAL (
                        SELECT * FROM holds o WHERE o.invocation_id = j.invocation_id OFFSET 0) h
                     WHERE j.buyer_user_id = $1 AND j.ended_at IS NULL ORDER BY j.taken_at LIMIT 100) j), '[]')`;
