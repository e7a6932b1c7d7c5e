import { charge } from '../work-meter.js';
import { CharacterClasses } from './character-classes.js';
import { LazyAutomaton } from './lazy-automaton.js';
import { ProgramWriter } from './pattern-program.js';
import { hasPart, isAnchored, isWordEdge, longestOf } from './pattern-shape.js';
import type { PatternTree } from './pattern-tree.js';
import { edges, MAX_LOOKS, surroundings } from './surroundings.js';

interface Look {
  readonly automaton: LazyAutomaton;
  readonly ahead: boolean;
  readonly negated: boolean;
  /** Most characters that it looks at; Infinity where more than its match decides. */
  readonly reach: number;
}

/** Places of a text, the last one included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Automata {
  readonly main: LazyAutomaton;
  /** The same without lookarounds: what it refuses needs none, and it tells where they decide. */
  readonly outline: LazyAutomaton;
  readonly looks: readonly Look[];
  readonly classes: CharacterClasses;
}

/** Texts so short are not outlined first. */
const SHORT = 64;
/** What a place costs a lookaround, in units of the meter. */
const LOOK_COST = 4;

/**
 * Tells whether a regular expression matches, in time that grows with the text alone. Lookarounds are worked out for every
 * place of the text first, each in one pass. What it cannot do is repeat what a group has matched.
 */
export class LinearMatcher {
  private readonly main: LazyAutomaton;
  private readonly looks: readonly Look[];
  private readonly classes: CharacterClasses;

  private constructor(private readonly automata: Automata, private readonly how: { readonly unicode: boolean; readonly plain: boolean }) {
    ({ main: this.main, looks: this.looks, classes: this.classes } = automata);
  }

  /** Undefined for a pattern with references, with too many lookarounds, or whose counts make it too large. */
  static of(tree: PatternTree): LinearMatcher | undefined {
    const writer = new ProgramWriter();
    const main = writer.write(tree.root, false);
    if (!main || writer.looks.length > MAX_LOOKS) return undefined;
    const classes = new CharacterClasses(writer.sets);
    // One inside another is asked for at other places than the outline tells.
    const nested = writer.looks.some(({ node }) => hasPart(node.body, ({ kind }) => kind === 'look'));
    const looks = writer.looks.map(({ node, program }): Look => {
      const automaton = new LazyAutomaton(program, classes, { anchored: false, looks: true });
      return { automaton, ahead: node.ahead, negated: node.negated, reach: nested || hasPart(node.body, isWordEdge) ? Infinity : longestOf(node.body) };
    });
    const anchored = isAnchored(tree.root);
    const automata = {
      main: new LazyAutomaton(main, classes, { anchored, looks: true }), outline: new LazyAutomaton(main, classes, { anchored, looks: false }), looks, classes,
    };
    return new LinearMatcher(automata, { unicode: tree.unicode, plain: looks.length === 0 && !hasPart(tree.root, isWordEdge) });
  }

  /** @throws the meter's signal when the text costs too much */
  test(text: string): boolean {
    const { looks } = this;
    charge(text.length);
    if (looks.length === 0) return this.matches(text, []);
    const span = text.length <= SHORT ? { from: 0, to: text.length } : this.outline(text);
    if (!span) return false;
    charge((span.to - span.from) * looks.length * LOOK_COST);
    const places: Uint8Array[] = [];
    for (const look of looks) places.push(this.placesOf(look, text, { span, inner: places }));
    return this.matches(text, places);
  }

  private matches(text: string, places: readonly Uint8Array[]): boolean {
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

  /** Where lookarounds decide; undefined when the text does not match whatever they say. */
  private outline(text: string): Span | undefined {
    const { outline } = this.automata;
    let span: Span | undefined;
    let matched = false;
    let state = outline.begin();
    for (let at = 0; ;) {
      const around = this.around(text, at, []);
      matched = outline.accepts(state, around) || matched;
      const character = this.character(text, at);
      const next = at < text.length ? outline.step(state, around, this.classes.classOf(character)) : undefined;
      if (state.asks) span = { from: span?.from ?? at, to: at };
      if (!next) return matched ? span ?? { from: 0, to: 0 } : undefined;
      state = next;
      at += character > 0xffff ? 2 : 1;
    }
  }

  /** Where a lookaround holds, as a 1 for each place of the text and its end. */
  private placesOf({ automaton, ahead, negated, reach }: Look, text: string, { span, inner }: { span: Span; inner: readonly Uint8Array[] }): Uint8Array {
    const places = new Uint8Array(text.length + 1);
    // Another character more, lest a pair be cut in two.
    const limits = reach === Infinity ? { from: 0, to: text.length } : { from: Math.max(0, span.from - 2 * reach - 1), to: Math.min(text.length, span.to + 2 * reach + 1) };
    let state = automaton.begin();
    for (let at = ahead ? limits.to : limits.from; ;) {
      const around = this.around(text, at, inner);
      places[at] = automaton.accepts(state, around) === negated ? 0 : 1;
      if (ahead ? at <= limits.from : at >= limits.to) return places;
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
