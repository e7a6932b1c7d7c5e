import { navigate, withSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';

/** Opens a key beside the list, which stays as it is: its query is that of the address. */
export function openKey(group: string, key: string, { replace }: { readonly replace: boolean }): void {
  navigate(paths.stateKey(group, key) + searchNow(), { replace });
}

/** Back to the list alone. */
export function closeKey(group: string): void {
  navigate(paths.stateGroup(group) + searchNow());
}

/** Without what belongs to the value. */
const searchNow = (): string => withSearch({ tab: null, rev: null, full: null }).replace(/^[^?]*/, '');
