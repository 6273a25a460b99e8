import { json } from '@codemirror/lang-json';
import { useComputedColorScheme } from '@mantine/core';
import CodeMirror, { EditorView } from '@uiw/react-codemirror';
import { styleNonce } from '../../ui/nonce';

interface EditorProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  height?: string;
}

/** An editor of JSON text. */
export default function JsonEditor({ label, value, onChange, height = '320px' }: EditorProps) {
  const scheme = useComputedColorScheme('light');
  return (
    <div className="code-block">
      <CodeMirror
        value={value}
        height={height}
        theme={scheme}
        extensions={[
          json(),
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.lineWrapping,
        ]}
        basicSetup={{ foldGutter: false }}
        onChange={onChange}
      />
    </div>
  );
}
