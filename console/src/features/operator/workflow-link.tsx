import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { get } from '../../client/queries';
import { Id } from '../../ui/id';
import { FastForward } from './fast-forward';

/** A workflow by its id; or a filter of Temporal's list, where the id is not known for certain. */
export interface Workflow {
  id?: string;
  filter?: string;
}

/** A call has a workflow of its own, or shares one with the calls of the same moment. */
export const workflowOfCall = (
  invocationId: string,
  workflowId = `invocation/${invocationId}`,
): Workflow => ({
  id: workflowId,
  filter: `WorkflowId = "${workflowId}" OR Members = "${invocationId}"`,
});

/** The workflow in Temporal's UI, if the service knows the UI's address; otherwise its id. */
export function WorkflowLink({ workflow: { id, filter } }: { workflow: Workflow }) {
  const { data } = useQuery({ ...get('/v1/operator/platform'), staleTime: 300_000 });
  const base = data?.workflows_url;
  const rest =
    filter === undefined ? `/${encodeURIComponent(id ?? '')}` : `?query=${encodeURIComponent(filter)}`;
  return (
    <span>
      {base ? (
        <Anchor href={base + rest} target="_blank" rel="noreferrer" inherit>
          Workflow in Temporal
        </Anchor>
      ) : (
        id !== undefined && 'Workflow'
      )}{' '}
      {id !== undefined && <Id value={id} />}
      {id !== undefined && data?.time_travel === true && <FastForward workflowId={id} />}
    </span>
  );
}
