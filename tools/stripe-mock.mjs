import { buildGoTool } from './lib/go-tool.mjs';

/** Builds tools/stripe-mock, and prints the path of the program; nothing where Go is not installed. */
const binary = await buildGoTool('stripe-mock');
if (binary) process.stdout.write(binary);
