import type { Ctor, Lifecycle, ModuleSpec } from '@treadle/api';

/** True for a setting that a running instance of the class can take another value of. */
export function isLiveSetting({ spec, target }: { readonly spec: ModuleSpec; readonly target: Ctor<Lifecycle> }, key: string): boolean {
  const { reconfigure } = target.prototype as Lifecycle;
  return typeof reconfigure === 'function' && spec.config.properties?.[key]?.['x-live'] === true;
}
