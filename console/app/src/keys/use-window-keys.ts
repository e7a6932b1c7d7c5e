import { patchSearch, useParam } from '../url/location.js';
import { useCommands } from './commands.js';

/** What is looked at where the address has no `from`. */
const WINDOW_MS = 15 * 60_000;

/** Keys for the stretch of time that stands in the address as `from` and `to`. With neither of them the view follows what comes. */
export function useWindowKeys(): void {
  const [from] = useParam('from');
  const [to] = useParam('to');
  const isLive = from === '' && to === '';
  const show = (begin: number, end: number): void => patchSearch(end >= Date.now() ? { from: null, to: null } : { from: iso(begin), to: iso(end) });
  const move = (sign: 1 | -1): void => {
    const end = timeOf(to, Date.now());
    const begin = timeOf(from, end - WINDOW_MS);
    show(begin + sign * (end - begin), end + sign * (end - begin));
  };
  useCommands([
    { title: 'Earlier stretch of time', keys: ['['], run: () => move(-1) },
    { title: 'Later stretch of time', keys: [']'], run: () => void (!isLive && move(1)) },
    { title: 'Hold what is shown, or follow what comes', keys: ['.'], run: () => patchSearch(isLive ? { to: iso(Date.now()) } : { from: null, to: null }) },
  ]);
}

/** What no time is counts as absent. */
const timeOf = (text: string, absent: number): number => (Number.isNaN(Date.parse(text)) ? absent : Date.parse(text));
const iso = (time: number): string => new Date(time).toISOString();
