import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { numberSeparators } from './ui/format';

const teal: MantineColorsTuple = [
  '#e6f7f9',
  '#d3ecef',
  '#a8d8de',
  '#79c4cd',
  '#53b2be',
  '#3aa7b5',
  '#1a8090',
  '#0b7285',
  '#075e6e',
  '#034b58',
];

/** The library's dark greys are neutral; these go with the panels of `styles.css`. */
const dark: MantineColorsTuple = [
  '#d5d9dd',
  '#b8bfc6',
  '#8f98a1',
  '#6b757e',
  '#454e56',
  '#353c43',
  '#272d33',
  '#1b1f23',
  '#171a1e',
  '#101316',
];

/** One accent, neutral greys, small radii, and figures of equal width wherever numbers stand below each other. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 7, dark: 6 },
  colors: { teal, dark },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
  cursorType: 'pointer',
  // By their names, so that the first page loads the code of none of them. What people type runs in its own direction.
  // The library leaves the names of its close buttons to the application.
  components: {
    TextInput: { defaultProps: { dir: 'auto' } },
    Textarea: { defaultProps: { dir: 'auto' } },
    Autocomplete: { defaultProps: { dir: 'auto' } },
    Select: { defaultProps: { dir: 'auto' } },
    MultiSelect: { defaultProps: { dir: 'auto' } },
    TagsInput: { defaultProps: { dir: 'auto' } },
    NumberInput: { defaultProps: numberSeparators() },
    // Forms made from a schema stand in one.
    Container: { defaultProps: { fluid: true } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});
