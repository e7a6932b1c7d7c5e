import type { StepFile, StepFileProblem } from './messages.js';

/*
 * What an engine and a Step process that it has started tell each other beside their connection: the engine one line of JSON on standard
 * input, the process lines of JSON on a file descriptor that this line names.
 */

/** First line on the child's standard input; it holds the token, which must not be visible in a process list. */
export interface ChildStart {
  readonly socketUrl: string;
  readonly token: string;
  readonly childId: string;
  readonly root: string;
  readonly mode: 'development' | 'production';
  /** Files that are only tried: loaded one after the other, without a connection to the engine; then the process waits. */
  readonly trial?: { readonly files: readonly StepFile[]; readonly settleMs: number } | undefined;
  /** Process that this one must not outlive; written by the engine's end. */
  readonly enginePid?: number | undefined;
  /** File descriptor that takes marks, where there is one; written by the engine's end. */
  readonly marks?: number | undefined;
}

/** What a Step process says at once, so that it is known even when the next instruction ends the process. */
export type Mark =
  /** A file is about to be evaluated. */
  | { readonly loading: string }
  /** That is over, whether or not the file is in order. */
  | { readonly loaded: string }
  /** This file was given up, or has left something behind. */
  | { readonly faulty: string; readonly problem: StepFileProblem }
  /** The setup of this file is about to be opened, or that is over, whatever came of it. */
  | { readonly opening: string }
  | { readonly opened: string }
  /** All files of a trial are loaded. */
  | { readonly done: true }
  /** The code of this file, or a handler of this Step, is about to end the process, by this function. */
  | { readonly ends: { readonly file?: string; readonly step?: string; readonly by: string } };
