import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** Where the page is served, without the last slash: chunks lie in `<base>/assets`. In development there is no base path. */
export const BASE = import.meta.env.DEV ? '' : new URL(/* @vite-ignore */ '..', import.meta.url).pathname.replace(/\/$/, '');

const listeners = new Set<() => void>();
const tell = (): void => listeners.forEach((listener) => listener());

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', tell);
  };
}

/** Goes to a path of the page, e.g. `/traces?q=status:error`. `replace` leaves no entry for Back. */
export function navigate(to: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', BASE + to);
  tell();
}

/** The current path below the base, percent-encoded as it stands in the address. */
export function currentPath(): string {
  return location.pathname.slice(BASE.length) || '/';
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, currentPath);
}

export function useSearch(): URLSearchParams {
  const text = useSyncExternalStore(subscribe, () => location.search);
  return useMemo(() => new URLSearchParams(text), [text]);
}

/** What is to be changed of the query; null and '' remove a parameter. */
export type SearchPatch = Readonly<Record<string, string | null | undefined>>;

/** The current address with another query. */
export function withSearch(patch: SearchPatch): string {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined || value === '') search.delete(name);
    else search.set(name, value);
  }
  return currentPath() + searchText(search);
}

/** `?a=b`, or nothing. Colons, slashes and stars stay readable. */
export function searchText(search: URLSearchParams): string {
  const text = search.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%3E', '>').replaceAll('%3C', '<');
  return text === '' ? '' : `?${text}`;
}

export function patchSearch(patch: SearchPatch, options?: { readonly replace?: boolean }): void {
  navigate(withSearch(patch), options);
}

/** One parameter of the query and how it is set. */
export function useParam(name: string, fallback = ''): readonly [string, (value: string | null, options?: { readonly replace?: boolean }) => void] {
  const value = useSearch().get(name) ?? fallback;
  const set = useCallback((next: string | null, options?: { readonly replace?: boolean }) => patchSearch({ [name]: next === fallback ? null : next }, options), [name, fallback]);
  return [value, set];
}
