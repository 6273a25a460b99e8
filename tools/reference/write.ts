/** `npm run reference`: writes the pages that are made from code, and the list of decisions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFERENCE_PAGES } from './pages';

void (async () => {
  for (const [file, page] of Object.entries(REFERENCE_PAGES)) {
    writeFileSync(join(__dirname, '../..', file), await page());
    console.log(file);
  }
})();
