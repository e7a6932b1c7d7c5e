import { isWord } from './character-set.js';
import type { Instruction } from './pattern-program.js';

const START = 1;
const END = 2;
const BOUNDARY = 4;
/** Lookarounds take the bits from here on. */
const FIRST_LOOK = 3;
/** As many as there are bits left in what stays a small integer. */
export const MAX_LOOKS = 12;

/** What holds at one place of a text, as bits: whether it begins or ends there, whether a word does, which lookarounds match. */
export type Surroundings = number;

/** Whether the surroundings let an instruction go on. */
export function holds(instruction: Extract<Instruction, { kind: 'edge' | 'look' }>, around: Surroundings): boolean {
  if (instruction.kind === 'look') return (around & (1 << (FIRST_LOOK + instruction.look))) !== 0;
  switch (instruction.edge) {
    case 'start': return (around & START) !== 0;
    case 'end': return (around & END) !== 0;
    case 'boundary': return (around & BOUNDARY) !== 0;
    case 'inside': return (around & BOUNDARY) === 0;
  }
}

/** What holds at a place, for a pattern without `\b` and lookarounds. */
export const edges = (text: string, at: number): Surroundings => (at === 0 ? START : 0) | (at === text.length ? END : 0);

/** The same for a pattern with them; `looks`: where each of them holds, by place. */
export function surroundings(text: string, at: number, looks: readonly Uint8Array[]): Surroundings {
  let bits = edges(text, at) | (isWordAt(text, at - 1) === isWordAt(text, at) ? 0 : BOUNDARY);
  for (let look = 0; look < looks.length; look++) if (looks[look]?.[at] === 1) bits |= 1 << (FIRST_LOOK + look);
  return bits;
}

const isWordAt = (text: string, at: number): boolean => at >= 0 && at < text.length && isWord(text.charCodeAt(at));
