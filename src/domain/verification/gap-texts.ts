/** What each gap of coverage means for the owner of an agent: why points cannot be earned, and what to do. */
import type { GapCode } from '../evidence/evidence-facts';

export interface GapText {
  /** One sentence. */
  why: string;
  remedy: string;
}

export const GAP_TEXTS: Record<GapCode, GapText> = {
  no_bundle: {
    why: 'without a bundle, code and dependencies cannot be examined.',
    remedy: 'Publish with the CLI to add it (market publish), or send bundle_base64.',
  },
  no_manifest_schemas: {
    why: 'without schemas, their descriptions cannot be examined.',
    remedy: 'Add input_schema and output_schema, with a description of each property.',
  },
  no_source: {
    why: 'the bundle has no source code.',
    remedy: 'Publish the source of the agent, not only what is built from it.',
  },
  no_lockfile: {
    why: 'dependencies without a lockfile can change after verification.',
    remedy: 'Add the lockfile of your package manager to the bundle.',
  },
  unreadable_lockfile: {
    why: 'a lockfile could not be read.',
    remedy: 'Make the lockfile anew with your package manager.',
  },
  unsupported_lockfile: {
    why: 'the format of a lockfile is not supported.',
    remedy: 'Add a lockfile in a supported format (docs/verification-bundles.md).',
  },
  unreadable_manifest: {
    why: 'a package manifest could not be read.',
    remedy: 'Correct the package.json, pyproject.toml, Pipfile or inline script metadata.',
  },
  unreadable_packages: {
    why: 'the names or versions of some packages could not be read.',
    remedy: 'Make the lockfile anew with your package manager, and name each package as its registry does.',
  },
  too_many_packages: {
    why: 'the bundle lists more packages, or more versions of one package, than are examined.',
    remedy:
      'Publish the lockfile of the agent alone, without those of other projects (docs/verification-bundles.md).',
  },
  no_advisories: {
    why: 'this marketplace has no complete advisories for the ecosystem.',
    remedy: 'An operator imports them: market advisories import, or ADVISORY_SOURCE=osv.',
  },
  unknown_versions: {
    why: 'the versions of some packages are not known.',
    remedy: 'Pin each package to a version of the public registry.',
  },
  unknown_licences: {
    why: 'the licences of some packages are not known.',
    remedy: 'Use a lockfile that names licences (npm), or replace packages without a licence.',
  },
  unknown_scripts: {
    why: 'the lockfile does not say which packages run scripts.',
    remedy: 'Use a lockfile that names them (npm, pnpm).',
  },
  unsupported_ecosystem: {
    why: 'packages of this ecosystem cannot be examined.',
    remedy: 'Nothing is required: npm and PyPI can be examined so far.',
  },
  too_large: {
    why: 'some files are too large to be examined.',
    remedy: 'Divide the files, or leave generated data out of the bundle.',
  },
  generated_files: {
    why: 'some files are generated or minified.',
    remedy: 'Publish the source that they are made from.',
  },
  binary_files: {
    why: 'some files are binary.',
    remedy: 'Leave binary files out of the bundle.',
  },
  too_slow: {
    why: 'reading what the agent gave took too much processor time.',
    remedy: 'Leave large generated files out of the bundle, and keep answers to examples short.',
  },
  reader_ended: {
    why: 'the reader of a file ended because of what is in the file.',
    remedy: 'Make lockfiles anew with your package manager, and leave damaged files out of the bundle.',
  },
  no_input_schema: {
    why: 'without schemas, most probes are impossible.',
    remedy: 'Add input_schema and output_schema, with up to 6 examples.',
  },
  no_inputs: {
    why: 'no valid input could be made from input_schema.',
    remedy: 'Add up to 6 examples to input_schema.',
  },
  refused_inputs: {
    why: 'the agent refused the inputs that were made from input_schema.',
    remedy: 'Add up to 6 examples to input_schema.',
  },
  no_text_input: {
    why: 'no input of the agent takes text.',
    remedy: 'Nothing is required.',
  },
  not_answered: {
    why: 'some probes were not answered.',
    remedy: 'Answer every valid input, then ask for another verification.',
  },
  tools_not_called: {
    why: 'tools that are not declared to be harmless are not called.',
    remedy:
      'Set annotations.readOnlyHint or annotations.idempotentHint of each tool that verification may call, or add examples of its calls to the registration (docs/self-hosted.md, "Tools that verification calls").',
  },
  tools_without_input: {
    why: 'some tools accepted none of the inputs that were made from their inputSchema.',
    remedy:
      'Add examples of calls to the registration, such as {"input": {"tool": "…", "arguments": {…}}}, or examples to the inputSchema of the tool.',
  },
  ownership_unproven: {
    why: 'ownership of the host is not proven.',
    remedy:
      'Prove it by a file, a DNS record or a header (docs/self-hosted.md, "Prove that the host is yours"), then ask for another verification.',
  },
};
