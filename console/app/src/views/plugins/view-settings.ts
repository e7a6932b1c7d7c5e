import type { ViewContext } from '@treadle/api';
import { useMemo, useSyncExternalStore } from 'react';
import { useApi } from '../../api/use-api.js';
import { taste } from '../../theme/taste.js';

export type ViewSettings = Pick<ViewContext, 'theme' | 'zone' | 'role'>;

/** What a view is told of how people want to see it; the same object until one of it changes. */
export function useViewSettings(): ViewSettings {
  const listen = (listener: () => void): (() => void) => taste.onChange(listener);
  const theme = useSyncExternalStore(listen, () => taste.theme);
  const zone = useSyncExternalStore(listen, () => taste.zone);
  const role = useApi('GET /meta').data?.session.role ?? 'viewer';
  return useMemo(() => ({ theme, zone, role }), [theme, zone, role]);
}
