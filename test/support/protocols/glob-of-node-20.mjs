/** The conformance suite imports `globSync`, which Node has from 22 on, for commands that the tests do not run. */
import { register } from 'node:module';

const stand = "export * from 'node:fs'; export const globSync = () => [];";
const hooks = `export async function resolve(name, context, next) {
  if (name === 'fs' && context.parentURL?.includes('/conformance/'))
    return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(stand)}`)}, shortCircuit: true };
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
