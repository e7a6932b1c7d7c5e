import type { ParentWatch } from '../session/watch-parent.js';

/** How one application's files are loaded. */
export interface RootSettings {
  /** Absolute. */
  readonly root: string;
  /** Absolute path of esbuild's main file. */
  readonly esbuild?: string | undefined;
  readonly cacheDir?: string | undefined;
  /** Time that a file has to be imported in, in milliseconds. Default 10,000. */
  readonly importTimeoutMs?: number | undefined;
  /** False: everything is loaded as Node itself understands it, e.g. what a build has compiled. Default true. */
  readonly hooks?: boolean | undefined;
  /** True: what a file leaves behind when it is imported is known as its own. Default false. */
  readonly traced?: boolean | undefined;
}

/** From the main thread to the thread of the module hooks. */
export type HookRequest =
  | { readonly id: number; readonly type: 'root'; readonly settings: RootSettings }
  /** Versions that file names get from now on, by absolute path. */
  | { readonly id: number; readonly type: 'stamps'; readonly stamps: ReadonlyMap<string, number> }
  /** The main thread may be blocked from now on: its process must not outlive its parent. */
  | { readonly id: number; readonly type: 'watch'; readonly watch: ParentWatch }
  /** What was loaded since the last report. */
  | { readonly id: number; readonly type: 'report' }
  /** Which of these files of JavaScript has a syntax error, and where. */
  | { readonly id: number; readonly type: 'syntax'; readonly files: readonly string[] };

/** Why a local file could not be loaded. */
export interface HookProblem {
  readonly kind: 'syntax' | 'import';
  /** Absolute path of the file at fault. */
  readonly file: string;
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface HookReport {
  /** Importer (URL with its version) and what it imports (absolute path). */
  readonly edges: readonly (readonly [importer: string, imported: string])[];
  /** Absolute path and hash of the content that was loaded. */
  readonly loaded: readonly (readonly [file: string, hash: string])[];
  readonly problems: readonly HookProblem[];
}

/** The answer to a request. */
export interface HookReply {
  readonly id: number;
  readonly report?: HookReport | undefined;
  readonly problem?: HookProblem | undefined;
}
