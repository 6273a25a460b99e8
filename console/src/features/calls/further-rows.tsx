import { Written } from '../../ui/written';
import type { CallDetail } from './call-steps';

/** Facts of some calls: what cut their answer off, and the pairs of their metadata. */
export const furtherRows = ({ truncated_by: by, metadata }: CallDetail) => [
  by !== null && (['Cut off by', by === 'ceiling' ? 'the ceiling' : 'the client'] as const),
  ...Object.entries(metadata).map(([name, value]) => [name, <Written key={name}>{value}</Written>] as const),
];
