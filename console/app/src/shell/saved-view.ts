/** An address of the page under a name; kept in this browser. */
export interface SavedView {
  readonly title: string;
  /** Below the page's base, with its query. */
  readonly path: string;
}

const MOST = 100;

export function readViews(text: string | null): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isView).slice(0, MOST) : [];
  } catch {
    return []; // Written by hand, or cut.
  }
}

function isView(value: unknown): value is SavedView {
  const { title, path } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  // A path of the page and nothing else: `//host` would be another site's.
  return typeof title === 'string' && title !== '' && typeof path === 'string' && /^\/(?!\/)/.test(path);
}

/** The views after this one was saved; one with the same name gives way. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ title }) => title !== view.title), view].slice(-MOST);
}
