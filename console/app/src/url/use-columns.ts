import { useParam } from './location.js';

/** Fields that are shown as columns of a list; they stand in the address as `cols`. */
export function useColumns(): readonly [names: readonly string[], toggle: (name: string) => void] {
  const [text, set] = useParam('cols');
  const names = text === '' ? [] : text.split(',');
  return [names, (name) => set((names.includes(name) ? names.filter((one) => one !== name) : [...names, name]).join(',') || null, { replace: true })];
}
