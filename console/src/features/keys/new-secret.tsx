import { Alert, Text } from '@mantine/core';
import { CodeBlock } from '../../ui/code-block';

interface NewSecretProps {
  secret: string;
  title: string;
  /** Names the secret for screen readers. */
  what: string;
  /** Commands that use it. */
  snippet?: string;
}

/** The secret of a new or rotated key, which is shown only once. */
export function NewSecret({ secret, title, what, snippet }: NewSecretProps) {
  return (
    <Alert color="green" title={title} variant="light">
      It is shown only once.
      <CodeBlock text={secret} label={what} />
      {snippet && (
        <>
          <Text fz="sm" mt="sm">
            Try it in a shell:
          </Text>
          <CodeBlock text={snippet} label={`command with the ${what}`} />
        </>
      )}
    </Alert>
  );
}
