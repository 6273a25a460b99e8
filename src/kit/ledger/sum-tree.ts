/**
 * Merkle sum trees: each node has the sum of the leaves below it, and its hash covers the sums of both children, so
 * that no sum can be lower than what was added. A node without sibling is its own parent.
 */
import { createHmac } from 'node:crypto';
import type { PathNode, SumNode } from '../../domain/ledger/market-log';
import { sha256Hex } from '../json/canonical-json';

/** The nodes of one level by their positions. The positions of leaves need not be without gaps. */
export type Level = ReadonlyMap<number, SumNode>;

export interface Leaf {
  day: string;
  kind: string;
  owner: string;
  units: number;
  /** Lower-case hexadecimal. */
  blind: string;
}

/** Without the blind, a leaf cannot be recognised by trying owners and amounts. */
export function blindOf(secret: Buffer, kind: string, owner: string): string {
  return createHmac('sha256', secret).update(`${kind}|${owner}`).digest('hex');
}

export function leafHash({ day, kind, owner, units, blind }: Leaf): string {
  return sha256Hex(`leaf|${day}|${kind}|${owner}|${units}|${blind}`);
}

function parentOf(left: SumNode, right: SumNode): SumNode {
  const hash = sha256Hex(`node|${left.units}|${left.hash}|${right.units}|${right.hash}`);
  return { units: left.units + right.units, hash };
}

/** All levels of a tree, the leaves first, the root last at position 0. No level is empty; no leaves give none. */
export function levelsOf(leaves: Level): Level[] {
  if (leaves.size === 0) return [];
  const levels = [leaves];
  for (let level = leaves; level.size > 1 || !level.has(0);) {
    level = levelAbove(level);
    levels.push(level);
  }
  return levels;
}

function levelAbove(level: Level): Level {
  const above = new Map<number, SumNode>();
  for (const [position, node] of level) {
    const sibling = level.get(siblingOf(position));
    if (sibling === undefined) above.set(Math.floor(position / 2), node);
    else if (position % 2 === 0) above.set(position / 2, parentOf(node, sibling));
  }
  return above;
}

export function rootOf(levels: readonly Level[]): SumNode | undefined {
  return levels.at(-1)?.get(0);
}

/** Leaves in an order that says nothing of their owners. */
export function leavesInOrder(nodes: readonly SumNode[]): Level {
  const sorted = [...nodes].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return new Map(sorted.map((node, position) => [position, node]));
}

export function siblingOf(position: number): number {
  return position % 2 === 0 ? position + 1 : position - 1;
}

/** The nodes beside the way from a leaf to the root, from below. */
export function pathOf(position: number, levels: readonly Level[]): PathNode[] {
  const path: PathNode[] = [];
  for (let at = position, level = 0; level < levels.length; level += 1, at = Math.floor(at / 2)) {
    const sibling = levels[level]?.get(siblingOf(at));
    if (!sibling) continue;
    const { units, hash } = sibling;
    path.push({ side: at % 2 === 0 ? 'right' : 'left', units, hash });
  }
  return path;
}

/** The root to which a leaf and its path lead. Undefined if a sum is negative or no safe integer. */
export function rootOfPath(leaf: SumNode, path: readonly PathNode[]): SumNode | undefined {
  let node = leaf;
  for (const { side, ...sibling } of path) {
    if (!isAmount(node.units) || !isAmount(sibling.units)) return undefined;
    node = side === 'left' ? parentOf(sibling, node) : parentOf(node, sibling);
  }
  return isAmount(node.units) ? node : undefined;
}

const isAmount = (units: number) => Number.isSafeInteger(units) && units >= 0;
