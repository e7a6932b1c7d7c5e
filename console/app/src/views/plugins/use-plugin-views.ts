import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiError } from '../../api/client.js';
import type { ItemsOfPluginView } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';

/** Views of plugins. */
export function usePluginViews(): UseQueryResult<ItemsOfPluginView, ApiError> {
  return useApi('GET /plugin-views');
}

/** The same, and asks for them anew for the whole page: they come and go with their modules. */
export function useFollowedPluginViews(): UseQueryResult<ItemsOfPluginView, ApiError> {
  useLive('modules', {}, { snapshot: () => refresh('/plugin-views') });
  return usePluginViews();
}
