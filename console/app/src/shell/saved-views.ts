import { useSyncExternalStore } from 'react';
import { taste } from '../theme/taste.js';
import { readViews, type SavedView } from './saved-view.js';

const NAME = 'views';

export function keepViews(views: readonly SavedView[]): void {
  taste.keep(NAME, JSON.stringify(views));
}

export function useSavedViews(): readonly SavedView[] {
  return readViews(useSyncExternalStore((listener) => taste.onChange(listener), () => taste.read(NAME)));
}
