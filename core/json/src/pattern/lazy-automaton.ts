import { charge } from '../work-meter.js';
import type { CharacterClasses } from './character-classes.js';
import type { PatternProgram } from './pattern-program.js';
import { holds, type Surroundings } from './surroundings.js';

/** Places in the program: where the text read so far may have led. */
export interface State {
  readonly places: readonly number[];
  /** By what surrounds the place and, from the second on, the class of the next character. */
  readonly next: Map<number, State>;
  readonly accepts: Map<number, boolean>;
  /** Without anything around; undefined until it is asked for. */
  plainlyAccepts: boolean | undefined;
  /** Whether a lookaround decides here. */
  asks: boolean;
  /** The next states without anything around, by class: the usual path. */
  readonly plain: (State | undefined)[];
}

/** With more places in all, states are forgotten and worked out anew: a text can lead to 2 to the power of the pattern's length of them. */
const MAX_PLACES = 50_000;
/** What working out a transition costs, beside its places. */
const TRANSITION_COST = 40;
const PLACE_COST = 8;

/**
 * The deterministic automaton of a program, made as far as texts lead into it. Every character costs one step; what has to be
 * worked out is charged to the meter by its size.
 */
export class LazyAutomaton {
  private states = new Map<string, State>();
  /** Places of all states. */
  private held = 0;
  private first: State | undefined;

  /** `anchored`: only matches from where the text begins count. `looks`: false to take every lookaround to hold. */
  constructor(
    private readonly program: PatternProgram, private readonly classes: CharacterClasses,
    private readonly how: { readonly anchored: boolean; readonly looks: boolean },
  ) {}

  begin(): State {
    return this.first ??= this.stateOf(new Set([this.program.start]));
  }

  /** Whether a match ends here. */
  accepts(state: State, around: Surroundings): boolean {
    if (around === 0) return state.plainlyAccepts ??= this.closure(state, 0).has(0);
    let accepted = state.accepts.get(around);
    if (accepted === undefined) state.accepts.set(around, accepted = this.closure(state, around).has(0));
    return accepted;
  }

  /** The state after a character; undefined when nothing can match any more. */
  step(state: State, around: Surroundings, characterClass: number): State | undefined {
    if (around !== 0) return this.stepAround(state, around, characterClass);
    const next = state.plain[characterClass] ??= this.advance(state, around, characterClass);
    return next.places.length === 0 ? undefined : next;
  }

  private stepAround(state: State, around: Surroundings, characterClass: number): State | undefined {
    // Classes are fewer than 2 to the 16th, and an array would be mostly holes.
    const symbol = around * 0x10000 + characterClass;
    let next = state.next.get(symbol);
    if (!next) state.next.set(symbol, next = this.advance(state, around, characterClass));
    return next.places.length === 0 ? undefined : next;
  }

  private advance(state: State, around: Surroundings, characterClass: number): State {
    const places = new Set<number>();
    for (const place of this.closure(state, around)) {
      const instruction = this.program.code[place];
      if (instruction?.kind === 'read' && this.classes.isIn(characterClass, instruction.set)) places.add(instruction.next);
    }
    if (!this.how.anchored) places.add(this.program.start);
    return this.stateOf(places);
  }

  /** All places that can be reached without reading. */
  private closure(state: State, around: Surroundings): ReadonlySet<number> {
    const reached = new Set(state.places);
    // A set is walked in the order of insertion, so that what is added on the way is walked too.
    for (const place of reached) {
      const instruction = this.program.code[place];
      if (instruction?.kind === 'fork') reached.add(instruction.next).add(instruction.other);
      else if (instruction?.kind === 'edge' && holds(instruction, around)) reached.add(instruction.next);
      else if (instruction?.kind === 'look') {
        state.asks = true;
        if (!this.how.looks || holds(instruction, around)) reached.add(instruction.next);
      }
    }
    charge(TRANSITION_COST + reached.size * PLACE_COST);
    return reached;
  }

  private stateOf(places: ReadonlySet<number>): State {
    const sorted = [...places].sort((a, b) => a - b);
    const key = sorted.join();
    const known = this.states.get(key);
    if (known) return known;
    const state: State = { places: sorted, next: new Map(), accepts: new Map(), plainlyAccepts: undefined, asks: false, plain: [] };
    this.held += sorted.length + 1;
    if (this.held > MAX_PLACES) this.forget();
    this.states.set(key, state);
    return state;
  }

  /** The first one holds on to all others. */
  private forget(): void {
    this.states = new Map();
    this.first = undefined;
    this.held = 0;
  }
}
