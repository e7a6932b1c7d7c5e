import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packageName } from './package-name.js';

/** What code that asks for the current context contains. */
const READS = /getContext|contextStorage|treadle\.context/;
/** The one way to import `treadle` of which is known what it brings. */
const BY_NAME = /\{[^{}*]*\}\s*from\s*(['"])treadle\1|\bimport\s*(['"])treadle\2/g;
/** Any other way, and `require`. */
const IMPORTS = /(?:\bfrom|\bimport|\()\s*(['"`])treadle\1/g;
/** A dynamic import of anything but a literal. */
const COMPUTED = /\bimport\s*\((?!\s*(['"])[^'"]*\1\s*[,)])/;
const OWN = /^(?:treadle$|@treadle\/)/;
const TELEMETRY = /^@opentelemetry\//;

/**
 * Sees, in the thread of the module hooks, whether code is loaded that can ask for the context of the running handler. It
 * says so before that code can be evaluated. In doubt it says yes: that only costs time.
 */
export class ContextReaders {
  readonly #tracking: Uint8Array;
  readonly #isLocal: (url: string) => boolean;
  /** ES modules that take from `treadle` only what cannot lead to the context. */
  readonly #harmless = new Set<string>();
  readonly #loaded = new Set<string>();
  readonly #expected = new Set<string>();

  /** `tracking`: see `contextTracking` in `treadle`. `isLocal`: is this one of the application's own files? */
  constructor(tracking: Uint8Array, isLocal: (url: string) => boolean) {
    this.#tracking = tracking;
    this.#isLocal = isLocal;
  }

  /** An import was resolved. */
  resolved(url: string, parent: string | undefined): void {
    if (this.#found() || !url.startsWith('file:')) return;
    if (!this.#loaded.has(url)) this.#expected.add(url);
    if (parent === undefined || this.#isOwn(parent)) return;
    const target = packageName(pathOf(url)) ?? '';
    if (target === 'treadle' && !this.#isLocal(url) && !this.#harmless.has(parent)) this.#say();
    if (TELEMETRY.test(target) && !TELEMETRY.test(packageName(pathOf(parent)) ?? '')) this.#say();
  }

  /** A module is about to be loaded. */
  loads(url: string): void {
    this.#loaded.add(url);
    this.#expected.delete(url);
  }

  /** A module was loaded and will be evaluated next. */
  loaded(url: string, format: string | null | undefined, source: unknown): void {
    if (this.#found() || !format?.startsWith('module') || this.#isOwn(url)) return;
    const text = typeof source === 'string' ? source : Buffer.from((source ?? []) as Uint8Array).toString('utf8');
    if (mayRead(text)) this.#say();
    else if (count(text, BY_NAME) > 0 && !COMPUTED.test(text)) this.#harmless.add(url);
  }

  /**
   * Nothing is being loaded any more. What was resolved and not loaded since was there before the hooks: of a package the
   * file itself is looked at, of a file that the application shares with a plugin nothing is known.
   */
  settled(): void {
    for (const url of this.#expected) {
      if (this.#found()) break;
      if (!this.#isOwn(url) && (this.#isLocal(url) || mayRead(textOf(url)))) this.#say();
      this.#loaded.add(url);
    }
    this.#expected.clear();
  }

  #isOwn(url: string): boolean {
    return !this.#isLocal(url) && url.startsWith('file:') && OWN.test(packageName(pathOf(url)) ?? '');
  }

  #found(): boolean {
    return this.#tracking[0] === 1;
  }

  #say(): void {
    Atomics.store(this.#tracking, 0, 1);
  }
}

/** Did CommonJS, whose `require` passes by the hooks, load what can lead to the context? `files` by path. */
export function requiresReaders(files: Readonly<NodeJS.Dict<NodeJS.Module>>): boolean {
  return Object.entries(files).some(([file, module]) => {
    const name = packageName(file) ?? '';
    if (name === 'treadle') return true;
    if (OWN.test(name) || TELEMETRY.test(name)) return false;
    // What programs put there themselves need not be a whole module.
    const { children = [] } = (module ?? {}) as Partial<NodeJS.Module>;
    return children.some(({ filename }: Partial<NodeJS.Module>) => TELEMETRY.test(packageName(filename ?? '') ?? ''));
  });
}

const mayRead = (source: string): boolean => READS.test(source) || count(source, IMPORTS) !== count(source, BY_NAME);
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url.split(/[?#]/, 1)[0] ?? url) : '/');

function textOf(url: string): string {
  try {
    return readFileSync(pathOf(url), 'utf8');
  } catch {
    return ''; // gone since, or never there: then its import fails
  }
}
