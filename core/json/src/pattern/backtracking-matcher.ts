import { charge } from '../work-meter.js';
import { type CharacterSet, isWord } from './character-set.js';
import type { Edge, PatternNode, PatternTree } from './pattern-tree.js';

/** Where a group has matched. */
type Groups = readonly ((readonly [from: number, to: number]) | undefined)[];
/** What is left to be matched from a place on. */
type Rest = (at: number, groups: Groups) => boolean;

/** Calls within each other: far from the end of the stack. */
const MAX_DEPTH = 2_000;
const STEP_COST = 50;
const OUT_OF_STEPS = 100_000_000_000;

interface Step {
  readonly at: number;
  readonly groups: Groups;
  readonly rest: Rest;
}

/**
 * Matches a regular expression by trying, as RegExp does, but each step is charged to the meter: for patterns that repeat what
 * a group has matched, which no linear engine can.
 */
export class BacktrackingMatcher {
  private text = '';
  private depth = 0;
  private back = false;

  constructor(private readonly tree: PatternTree) {}

  /** @throws the meter's signal when the text costs too much */
  test(text: string): boolean {
    this.text = text;
    this.depth = 0;
    this.back = false;
    for (let at = 0; at <= text.length; at += this.width(at)) if (this.match(this.tree.root, { at, groups: [], rest: () => true })) return true;
    return false;
  }

  private match(node: PatternNode, step: Step): boolean {
    // A text that leads this deep costs too much in any case.
    charge(this.depth > MAX_DEPTH ? OUT_OF_STEPS : STEP_COST);
    this.depth++;
    const matched = this.node(node, step);
    this.depth--;
    return matched;
  }

  private node(node: PatternNode, step: Step): boolean {
    const { at, groups, rest } = step;
    switch (node.kind) {
      case 'set': return this.character(node.set, step);
      case 'edge': return this.holds(node.edge, at) && rest(at, groups);
      case 'sequence': return this.sequence(this.back ? [...node.parts].reverse() : node.parts, step);
      case 'choice': return node.options.some((option) => this.match(option, step));
      case 'repeat': return this.repeat(node, 0, step);
      case 'look': return this.look(node, step);
      case 'group': return this.match(node.body, { ...step, rest: (end, inner) => rest(end, withGroup(inner, node.index, at < end ? [at, end] : [end, at])) });
      case 'reference': return this.reference(node.group, step);
    }
  }

  private character(set: CharacterSet, { at, groups, rest }: Step): boolean {
    const from = this.back ? at - this.widthBefore(at) : at;
    if (this.back ? at === 0 : at >= this.text.length) return false;
    const next = this.back ? from : at + this.width(at);
    return set.has(this.characterAt(from)) && rest(next, groups);
  }

  private sequence(parts: readonly PatternNode[], { at, groups, rest }: Step): boolean {
    const [first, ...others] = parts;
    if (!first) return rest(at, groups);
    const { back } = this;
    return this.match(first, { at, groups, rest: (next, inner) => this.facing(back, () => this.sequence(others, { at: next, groups: inner, rest })) });
  }

  private repeat(node: Extract<PatternNode, { kind: 'repeat' }>, turns: number, { at, groups, rest }: Step): boolean {
    const { body, min, max } = node;
    const again: Rest = (next, inner) => (next !== at || turns < min) && this.repeat(node, turns + 1, { at: next, groups: inner, rest });
    if (turns < max && this.match(body, { at, groups, rest: again })) return true;
    return turns >= min && rest(at, groups);
  }

  private look({ body, ahead, negated }: Extract<PatternNode, { kind: 'look' }>, { at, groups, rest }: Step): boolean {
    let found: Groups | undefined;
    const matched = this.facing(!ahead, () => this.match(body, { at, groups, rest: (_, inner) => { found = inner; return true; } }));
    return matched !== negated && rest(at, negated ? groups : found ?? groups);
  }

  private reference(group: number | string, { at, groups, rest }: Step): boolean {
    const place = groups[typeof group === 'number' ? group : this.tree.names.get(group) ?? 0];
    if (!place) return rest(at, groups);
    const [from, to] = place;
    const start = this.back ? at - (to - from) : at;
    charge(to - from);
    if (start < 0 || !this.text.startsWith(this.text.slice(from, to), start)) return false;
    return rest(this.back ? start : at + to - from, groups);
  }

  /** What looks back reads from its end to its start. */
  private facing(back: boolean, what: () => boolean): boolean {
    const outer = this.back;
    this.back = back;
    const result = what();
    this.back = outer;
    return result;
  }

  private holds(edge: Edge, at: number): boolean {
    if (edge === 'start') return at === 0;
    if (edge === 'end') return at === this.text.length;
    const boundary = this.isWordAt(at - 1) !== this.isWordAt(at);
    return boundary === (edge === 'boundary');
  }

  private isWordAt(at: number): boolean {
    return at >= 0 && at < this.text.length && isWord(this.text.charCodeAt(at));
  }

  private characterAt(at: number): number {
    return (this.tree.unicode ? this.text.codePointAt(at) : this.text.charCodeAt(at)) ?? 0;
  }

  private width(at: number): number {
    return this.characterAt(at) > 0xffff ? 2 : 1;
  }

  private widthBefore(at: number): number {
    return at >= 2 && this.characterAt(at - 2) > 0xffff ? 2 : 1;
  }
}

function withGroup(groups: Groups, index: number, place: readonly [number, number]): Groups {
  const changed = [...groups];
  changed[index] = place;
  return changed;
}
