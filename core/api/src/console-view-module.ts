/** The browser's `ShadowRoot`, where the types of the browser are known. */
export type ViewRoot = typeof globalThis extends { ShadowRoot: { readonly prototype: infer R } } ? R : unknown;

/** What the file of a view with code exports by default. */
export interface ViewModule {
  /**
   * Draws the view into a shadow root of its own. The page's policy allows no inline `<style>` and no `eval`: take `<link rel="stylesheet">` with a
   * file beside yours, or `adoptedStyleSheets`. Colours and sizes of the console are CSS variables, e.g. `var(--accent)`.
   */
  mount(root: ViewRoot, context: ViewContext): MountedView | void | Promise<MountedView | void>;
}

/** What is called while the view is there; both are optional. */
export interface MountedView {
  /** The address, the theme or the time zone has changed. */
  update?(context: ViewContext): void;
  /** The view goes; `signal` is aborted too. */
  unmount?(): void;
}

/** What a view gets from the page. */
export interface ViewContext {
  /** What follows the view in the address, e.g. `/42`; empty for the view itself. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly theme: 'dark' | 'light';
  readonly zone: 'local' | 'utc' | 'relative';
  /** Of the person who looks. */
  readonly role: 'viewer' | 'operator' | 'admin';
  /** Asks a route of the view's module, e.g. `/outbox`. Rejects with an error that has `status`, `code` and `message`. */
  call<T>(route: string, options?: ViewCall): Promise<T>;
  /** Follows an event route of the view's module until the view goes, or the result is called. `onGap`: so many events were left out. */
  subscribe(route: string, onEvent: (event: unknown) => void, onGap?: (dropped: number) => void): () => void;
  /** Goes to an address of the console, e.g. `/traces/<id>`, or below the view with `./42`. */
  navigate(to: string): void;
  /** Changes the query of the address; null removes a parameter. */
  setSearch(patch: Readonly<Record<string, string | null>>): void;
  /** Says for some seconds what became of an action. */
  toast(text: string, tone?: 'ok' | 'bad'): void;
  /** Aborted when the view goes. */
  readonly signal: AbortSignal;
}

export interface ViewCall {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}
