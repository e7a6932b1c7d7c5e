import { useCommands } from '../keys/commands.js';
import { Button } from '../parts/controls.js';
import { mayTell } from './tell.js';
import { useWatches } from './use-watches.js';
import type { Watch } from './watches.js';

/** Keeps something in sight in all views, or lets go of it. `title` says until when, e.g. `Notify when settled`. */
export function WatchButton({ watch, title }: { readonly watch: Watch; readonly title: string }) {
  const { has, toggle } = useWatches();
  const run = (): void => {
    if (watch.kind !== 'key' && !has(watch)) mayTell();
    toggle(watch);
  };
  useCommands([{ title, run }]);
  return <Button on={has(watch)} onClick={run}>{title}</Button>;
}
