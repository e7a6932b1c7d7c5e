import { charge } from '../work-meter.js';
import { CharacterClasses } from './character-classes.js';
import { LazyAutomaton } from './lazy-automaton.js';
import { ProgramWriter } from './pattern-program.js';
import type { PatternNode, PatternTree } from './pattern-tree.js';
import { edges, MAX_LOOKS, surroundings } from './surroundings.js';

interface Look {
  readonly automaton: LazyAutomaton;
  readonly ahead: boolean;
  readonly negated: boolean;
}

/**
 * Tells whether a regular expression matches, in time that grows with the text alone. Lookarounds are worked out for every
 * place of the text first, each in one pass. What it cannot do is repeat what a group has matched.
 */
export class LinearMatcher {
  private constructor(
    private readonly main: LazyAutomaton, private readonly looks: readonly Look[],
    private readonly classes: CharacterClasses, private readonly how: { readonly unicode: boolean; readonly plain: boolean },
  ) {}

  /** Undefined for a pattern with references, with too many lookarounds, or whose counts make it too large. */
  static of(tree: PatternTree): LinearMatcher | undefined {
    const writer = new ProgramWriter();
    const main = writer.write(tree.root, false);
    if (!main || writer.looks.length > MAX_LOOKS) return undefined;
    const classes = new CharacterClasses(writer.sets);
    const looks = writer.looks.map(({ node, program }) => ({ automaton: new LazyAutomaton(program, classes, false), ahead: node.ahead, negated: node.negated }));
    const plain = looks.length === 0 && !hasWordEdges(tree.root);
    return new LinearMatcher(new LazyAutomaton(main, classes, isAnchored(tree.root)), looks, classes, { unicode: tree.unicode, plain });
  }

  /** @throws the meter's signal when the text costs too much */
  test(text: string): boolean {
    charge(text.length * (1 + this.looks.length));
    const places: Uint8Array[] = [];
    for (const look of this.looks) places.push(this.placesOf(look, text, places));
    const { main } = this;
    let state = main.begin();
    for (let at = 0; ;) {
      const around = this.around(text, at, places);
      if (main.accepts(state, around)) return true;
      if (at >= text.length) return false;
      const character = this.character(text, at);
      const next = main.step(state, around, this.classes.classOf(character));
      if (!next) return false;
      state = next;
      at += character > 0xffff ? 2 : 1;
    }
  }

  /** Where a lookaround holds, as a 1 for each place of the text and its end. */
  private placesOf({ automaton, ahead, negated }: Look, text: string, inner: readonly Uint8Array[]): Uint8Array {
    const places = new Uint8Array(text.length + 1);
    let state = automaton.begin();
    for (let at = ahead ? text.length : 0; ;) {
      const around = this.around(text, at, inner);
      places[at] = automaton.accepts(state, around) === negated ? 0 : 1;
      if (at === (ahead ? 0 : text.length)) return places;
      const character = ahead ? this.characterBefore(text, at) : this.character(text, at);
      // Never undefined: a lookaround may begin at every place.
      state = automaton.step(state, around, this.classes.classOf(character)) ?? automaton.begin();
      at += (character > 0xffff ? 2 : 1) * (ahead ? -1 : 1);
    }
  }

  private around(text: string, at: number, looks: readonly Uint8Array[]): number {
    return this.how.plain ? edges(text, at) : surroundings(text, at, looks);
  }

  private character(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    return this.how.unicode && unit >= 0xd800 && unit <= 0xdbff ? text.codePointAt(at) as number : unit;
  }

  private characterBefore(text: string, at: number): number {
    const unit = text.charCodeAt(at - 1);
    if (!this.how.unicode || unit < 0xdc00 || unit > 0xdfff || at < 2) return unit;
    const pair = text.codePointAt(at - 2) as number;
    return pair > 0xffff ? pair : unit;
  }
}

/** Whether every match begins where the text does. */
export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case 'edge': return node.edge === 'start';
    case 'sequence': return node.parts.some((part, index) => isAnchored(part) && node.parts.slice(0, index).every(readsNothing));
    case 'choice': return node.options.every(isAnchored);
    case 'group': return isAnchored(node.body);
    default: return false;
  }
}

const readsNothing = ({ kind }: PatternNode): boolean => kind === 'edge' || kind === 'look';

function hasWordEdges(node: PatternNode): boolean {
  switch (node.kind) {
    case 'edge': return node.edge === 'boundary' || node.edge === 'inside';
    case 'sequence': return node.parts.some(hasWordEdges);
    case 'choice': return node.options.some(hasWordEdges);
    case 'repeat': case 'look': case 'group': return hasWordEdges(node.body);
    default: return false;
  }
}
