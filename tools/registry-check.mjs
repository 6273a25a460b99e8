import { buildGoTool } from './lib/go-tool.mjs';

/** Builds tools/registry-check, and prints the path of the program; nothing where Go is not installed. */
const binary = await buildGoTool('registry-check');
if (binary) process.stdout.write(binary);
