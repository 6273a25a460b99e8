import { serve } from '../serve.mjs';
import { htmlToMarkdown } from './markdown.mjs';

serve('html-to-markdown', htmlToMarkdown);
