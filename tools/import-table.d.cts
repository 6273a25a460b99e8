export interface LayerLine {
  layers: string[];
  types?: string[];
  wiringTypes?: boolean;
  packages: string[] | 'all';
  notPackages?: string[];
  builtins: 'none' | 'local' | 'any';
}

export interface FolderOrder {
  order: string[];
  base: string[];
  top: string[];
}

export const LAYERS: Record<string, LayerLine>;
export const FOLDERS: Record<string, FolderOrder>;
