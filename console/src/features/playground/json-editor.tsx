import { json } from '@codemirror/lang-json';
import { lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import { useComputedColorScheme } from '@mantine/core';
import CodeMirror, { EditorView, keymap, Prec } from '@uiw/react-codemirror';
import { styleNonce } from '../../ui/nonce';

interface EditorProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  height?: string;
  /** Problems beside their lines. */
  problems?: readonly Diagnostic[];
}

/** The form around the editor takes Ctrl+Enter. */
const WITHOUT_SUBMIT = Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => true }]));

/** An editor of JSON text. */
export default function JsonEditor({ label, value, onChange, height = '320px', problems }: EditorProps) {
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
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.lineWrapping,
          WITHOUT_SUBMIT,
          ...(problems ? [lintGutter(), linter(() => within(problems, value.length), { delay: 0 })] : []),
        ]}
        basicSetup={{ foldGutter: false }}
        // Tab leaves the editor, as it leaves any other field.
        indentWithTab={false}
        onChange={onChange}
      />
    </div>
  );
}

/** A text that has become shorter has no place beyond its end. */
function within(problems: readonly Diagnostic[], length: number): Diagnostic[] {
  return problems.map((one) => ({ ...one, from: Math.min(one.from, length), to: Math.min(one.to, length) }));
}
