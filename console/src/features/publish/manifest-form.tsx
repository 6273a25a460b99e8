import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import JsonEditor from '../playground/json-editor';
import { ApiError, send } from '../../client/http';
import { Failure } from '../../ui/states';
import { brokenAt, placeOf } from './line-of';

interface ManifestFormProps {
  text: string;
  onChange: (text: string) => void;
  bundle: string | undefined;
}

/** The manifest in an editor with the API's problems beside their lines, and the button that publishes. */
export default function ManifestForm({ text, onChange, bundle }: ManifestFormProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const publish = useMutation({
    mutationFn: () =>
      send('post', '/v1/developer/agents', {
        body: {
          manifest: parse(text),
          ...(bundle === undefined ? {} : { bundle_base64: bundle }),
        },
      }),
    onSuccess: async ({ agent_id: id }) => {
      onChange('');
      await queries.invalidateQueries({ queryKey: ['/v1/developer/agents'] });
      await navigate({ to: `/developer/agents/${id}` });
    },
  });
  const syntax = syntaxProblemOf(text);
  const problems = syntax ? [syntax] : problemsOf(publish.error, text);
  return (
    <Stack>
      <JsonEditor
        label="Manifest"
        value={text}
        onChange={onChange}
        height="420px"
        problems={problems.map(({ place: { from, to }, message }) => ({
          from,
          to,
          message,
          severity: 'error',
        }))}
      />
      {publish.isError && <Failure error={publish.error} />}
      {problems.length > 0 && (
        <Text fz="sm" c="dimmed">
          {syntax
            ? `Line ${syntax.place.line}: ${syntax.message}`
            : problems.map(({ name, place }) => `${name}: line ${place.line}`).join(' · ')}
        </Text>
      )}
      <Group>
        <Button
          onClick={() => publish.mutate()}
          loading={publish.isPending}
          disabled={text.trim() === '' || syntax !== undefined}
        >
          Publish and verify
        </Button>
      </Group>
    </Stack>
  );
}

/** The fields that the API refused, each with its place in the manifest. */
function problemsOf(error: unknown, text: string) {
  if (!(error instanceof ApiError)) return [];
  return error.detail
    .filter(({ loc }) => loc[0] === 'body' && loc[1] === 'manifest')
    .map(({ loc, msg }) => {
      const path = loc.slice(2);
      return { name: path.join('.'), message: msg, place: placeOf(text, path) };
    });
}

/** Where the JSON is broken, while it is written. */
function syntaxProblemOf(text: string) {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return { name: 'JSON', message: 'The JSON is broken here.', place: brokenAt(text) };
  }
}

/** The manifest as an object. Throws an error that says where the JSON is broken. */
function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new Error(`The manifest is not valid JSON. ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}
