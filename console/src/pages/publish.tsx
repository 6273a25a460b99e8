import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { send } from '../client/http';
import { filesOfDrop, manifestOf } from '../features/publish/read-folder';
import { Page } from '../ui/page';
import { Failure, Waiting } from '../ui/states';

const JsonEditor = lazy(() => import('../features/playground/json-editor'));

/** Publishes an agent by its manifest: drop the folder, correct what the API refuses, follow the verification. */
export function PublishPage() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<string>();
  const take = async (files: readonly File[]) => {
    const found = await manifestOf(files);
    setProblem(found === undefined ? 'There is no manifest.json in what you chose.' : undefined);
    if (found !== undefined) setText(found);
  };
  const publish = useMutation({
    mutationFn: () =>
      send('post', '/v1/developer/agents', {
        body: { manifest: JSON.parse(text) as Record<string, unknown> },
      }),
    onSuccess: async ({ agent_id: id }) => {
      await queries.invalidateQueries({ queryKey: ['/v1/developer/agents'] });
      await navigate({ to: `/developer/agents/${id}` });
    },
  });
  return (
    <Page
      title="Publish an agent"
      subtitle="The marketplace verifies the agent before buyers find it. `market publish` also sends its source, which earns points for static analysis and supply chain."
    >
      <Stack>
        <div
          className={over ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            void filesOfDrop(event.dataTransfer).then(take);
          }}
        >
          <Text fw={600}>Drop the folder of your agent here</Text>
          <Text fz="sm" c="dimmed" mb="sm">
            or choose its manifest.json
          </Text>
          <FileButton accept="application/json" onChange={(file) => void (file && take([file]))}>
            {(props) => (
              <Button {...props} variant="default" size="xs">
                Choose a file
              </Button>
            )}
          </FileButton>
        </div>
        {problem && (
          <Alert color="yellow" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        <Suspense fallback={<Waiting lines={2} />}>
          <JsonEditor label="Manifest" value={text} onChange={setText} height="420px" />
        </Suspense>
        {publish.isError && <Failure error={publish.error} />}
        <Group>
          <Button onClick={() => publish.mutate()} loading={publish.isPending} disabled={text.trim() === ''}>
            Publish and verify
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}
