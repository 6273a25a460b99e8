import { Anchor, Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ForDevelopers } from '../features/own-agents/for-developers';
import { filesOfDrop, filesOfInput, packFolder, type AgentFolder } from '../features/publish/read-folder';
import { TEMPLATE } from '../features/publish/template';
import { formatWhole } from '../ui/format';
import { useSessionText } from '../ui/session-text';
import { LinkButton } from '../ui/link';
import { Page } from '../ui/page';
import { Waiting } from '../ui/states';

const ManifestForm = lazy(() => import('../features/publish/manifest-form'));
type Chosen = ReturnType<typeof filesOfInput>;

/** Publishing by a manifest, for developers. */
export function PublishPage() {
  return (
    <ForDevelopers title="Publish an agent">
      {(profile) => <Publishing isPaid={profile.registration_paid} />}
    </ForDevelopers>
  );
}

/** Publishes an agent by its folder: drop it, correct what the API refuses, follow the verification. */
function Publishing({ isPaid }: { isPaid: boolean }) {
  const [text, setText] = useSessionText('draft of a manifest');
  const [folder, setFolder] = useState<AgentFolder>();
  const [problem, setProblem] = useState<string>();
  const take = async (files: Promise<Chosen> | Chosen) => {
    try {
      const packed = await packFolder(await files);
      setFolder(packed);
      setProblem(packed.manifest === undefined ? 'There is no manifest.json in what you chose.' : undefined);
      if (packed.manifest !== undefined) setText(packed.manifest);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Page
      title="Publish an agent"
      subtitle="The marketplace verifies the agent before buyers find it. Its source earns points for static analysis and supply chain."
    >
      <Stack>
        {!isPaid && (
          <Alert color="yellow" variant="light" title="Pay the registration fee first">
            <Group gap="xs">
              You can prepare the manifest now. It is published once the fee is paid.
              <LinkButton to="/developer" size="compact-xs">
                To the fee
              </LinkButton>
            </Group>
          </Alert>
        )}
        <DropZone take={(files) => void take(files)} />
        {problem && (
          <Alert color="yellow" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        {folder?.manifest !== undefined && <Contents folder={folder} />}
        {text === '' && (
          <Group gap="xs" fz="sm">
            <Button variant="default" size="xs" onClick={() => setText(TEMPLATE)}>
              Begin with a template
            </Button>
            <Anchor href="/docs/reference/manifest" fz="sm">
              What each field means
            </Anchor>
          </Group>
        )}
        <Suspense fallback={<Waiting lines={2} />}>
          <ManifestForm text={text} onChange={setText} bundle={folder?.bundle} />
        </Suspense>
      </Stack>
    </Page>
  );
}

function DropZone({ take }: { take: (files: Promise<Chosen> | Chosen) => void }) {
  const [over, setOver] = useState(false);
  return (
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
        take(filesOfDrop(event.dataTransfer));
      }}
    >
      <Text fw={600}>Drop the folder of your agent here</Text>
      <Text fz="sm" c="dimmed" mb="sm">
        with its manifest.json, up to 8 MiB of source
      </Text>
      <Group justify="center" gap="xs">
        <FileButton accept="application/json" onChange={(file) => file && take(filesOfInput([file]))}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              Choose a manifest
            </Button>
          )}
        </FileButton>
        <FileButton
          multiple
          onChange={(files) => take(filesOfInput(files))}
          inputProps={{ webkitdirectory: '' } as React.ComponentProps<'input'>}
        >
          {(props) => (
            <Button {...props} variant="default" size="xs">
              Choose a folder
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}

function Contents({ folder: { bundle, files, leftOut } }: { folder: AgentFolder }) {
  return (
    <Text fz="sm" c="dimmed" role="status" className="anywhere">
      {bundle === undefined
        ? 'The manifest alone. Choose the folder to send its source too.'
        : `${formatWhole(files.length)} files are sent with the manifest: ${files.slice(0, 6).join(', ')}${files.length > 6 ? ', …' : ''}.`}
      {leftOut.length > 0 &&
        ` Left out: ${leftOut.slice(0, 3).join(', ')}${leftOut.length > 3 ? ', …' : ''}.`}
    </Text>
  );
}
