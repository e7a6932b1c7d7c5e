import type { CharacterSet } from './character-set.js';
import type { Edge, PatternNode } from './pattern-tree.js';

/** A step of the automaton: reads a character, divides, goes on where something holds, or is the end. */
export type Instruction =
  | { readonly kind: 'read'; readonly set: number; readonly next: number }
  | { readonly kind: 'fork'; readonly next: number; readonly other: number }
  | { readonly kind: 'edge'; readonly edge: Edge; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly next: number }
  | { readonly kind: 'match' };

type LookNode = Extract<PatternNode, { kind: 'look' }>;

/** A pattern as a nondeterministic automaton. */
export interface PatternProgram {
  readonly code: readonly Instruction[];
  readonly start: number;
}

/** More are not worth their memory; such a pattern is run with a budget of steps. */
const MAX_INSTRUCTIONS = 20_000;

/** Writes programs whose character sets and lookarounds are numbered together. */
export class ProgramWriter {
  readonly sets: CharacterSet[] = [];
  /** In the order in which they can be worked out: what is inside another one comes first. */
  readonly looks: { readonly node: LookNode; readonly program: PatternProgram }[] = [];
  private readonly setIndex = new Map<string, number>();
  private code: Instruction[] = [];
  private backwards = false;

  /** The automaton of a tree, to be read from its end with `backwards`; undefined when it becomes too large. */
  write(node: PatternNode, backwards: boolean): PatternProgram | undefined {
    const outer = { code: this.code, backwards: this.backwards };
    this.code = [{ kind: 'match' }];
    this.backwards = backwards;
    const start = this.node(node, 0);
    const { code } = this;
    this.code = outer.code;
    this.backwards = outer.backwards;
    return start === undefined ? undefined : { code, start };
  }

  /** Writes a node before the instruction `next`, and answers where it begins. */
  private node(node: PatternNode, next: number): number | undefined {
    switch (node.kind) {
      case 'set': return this.add({ kind: 'read', set: this.indexOf(node.set), next });
      case 'edge': return this.add({ kind: 'edge', edge: node.edge, next });
      case 'sequence': return this.sequence(node.parts, next);
      case 'choice': return this.choice(node.options, next);
      case 'repeat': return this.repeat(node, next);
      case 'look': return this.look(node, next);
      case 'group': return this.node(node.body, next);
      case 'reference': return undefined;
    }
  }

  private sequence(parts: readonly PatternNode[], next: number): number | undefined {
    let at: number | undefined = next;
    for (const part of this.backwards ? parts : [...parts].reverse()) {
      if (at === undefined) return undefined;
      at = this.node(part, at);
    }
    return at;
  }

  private choice(options: readonly PatternNode[], next: number): number | undefined {
    let at: number | undefined;
    for (const option of options) {
      const start = this.node(option, next);
      if (start === undefined) return undefined;
      at = at === undefined ? start : this.add({ kind: 'fork', next: start, other: at });
    }
    return at;
  }

  private repeat(node: Extract<PatternNode, { kind: 'repeat' }>, next: number): number | undefined {
    const { body, min, max } = node;
    let at: number | undefined = max === Infinity ? this.loop(body, next) : next;
    for (let extra = max === Infinity ? min : max; extra > 0 && at !== undefined; extra--) {
      const start = this.node(body, at);
      at = start === undefined || extra <= min || max === Infinity ? start : this.add({ kind: 'fork', next: start, other: next });
    }
    return at;
  }

  private loop(body: PatternNode, next: number): number | undefined {
    const head = this.add({ kind: 'fork', next, other: next });
    if (head === undefined) return undefined;
    const start = this.node(body, head);
    if (start !== undefined) this.code[head] = { kind: 'fork', next: start, other: next };
    return start === undefined ? undefined : head;
  }

  private look(node: LookNode, next: number): number | undefined {
    const program = this.write(node.body, node.ahead);
    if (!program) return undefined;
    this.looks.push({ node, program });
    return this.add({ kind: 'look', look: this.looks.length - 1, next });
  }

  private add(instruction: Instruction): number | undefined {
    if (this.code.length >= MAX_INSTRUCTIONS) return undefined;
    return this.code.push(instruction) - 1;
  }

  private indexOf(set: CharacterSet): number {
    const known = this.setIndex.get(set.source);
    if (known !== undefined) return known;
    this.setIndex.set(set.source, this.sets.length);
    return this.sets.push(set) - 1;
  }
}
