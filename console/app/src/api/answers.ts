import type { UseQueryResult } from '@tanstack/react-query';
import type { FlowGraph, ItemsOfCronTrigger, ItemsOfFinding, ItemsOfModuleInfo, ItemsOfPluginView, ItemsOfStreamInfo, Meta, Overview, QueuesAnswer, StepsAnswer } from './types.generated.js';
import { useLive, useLiveAnswer } from '../live/use-live.js';
import type { ApiError } from './client.js';
import { refresh, useApi } from './use-api.js';

type Result<T> = UseQueryResult<T, ApiError>;

export const useMeta = (): Result<Meta> => useApi('/meta');
export const useCron = (): Result<ItemsOfCronTrigger> => useApi('/cron');
export const useStreams = (): Result<ItemsOfStreamInfo> => useApi('/streams');

/** Those of which the engine sends every change. */
export function useOverview(): Result<Overview> {
  useLiveAnswer('overview', '/overview');
  return useApi('/overview');
}

export function useFindings(): Result<ItemsOfFinding> {
  useLiveAnswer('findings', '/findings');
  return useApi('/findings');
}

export function useSteps(): Result<StepsAnswer> {
  useLiveAnswer('steps', '/steps');
  return useApi('/steps');
}

export function useQueues(): Result<QueuesAnswer> {
  useLiveAnswer('queues', '/queues');
  return useApi('/queues');
}

export function useFlows(): Result<FlowGraph> {
  useLiveAnswer('flows', '/flows');
  return useApi('/flows');
}

export function useModules(): Result<ItemsOfModuleInfo> {
  useLiveAnswer('modules', '/modules');
  return useApi('/modules');
}

/** They come and go with their modules. */
export function usePluginViews(): Result<ItemsOfPluginView> {
  useLive('modules', {}, { snapshot: () => refresh('/plugin-views') });
  return useApi('/plugin-views');
}
