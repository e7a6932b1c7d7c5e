import { useSyncExternalStore } from 'react';
import { useApi } from '../api/use-api.js';
import { useLiveFaults, useLiveStatus } from '../live/use-live.js';
import { Badge, Button, Kbd } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { useZone } from '../parts/time.js';
import type { Zone } from '../format/time.js';
import { taste } from '../theme/taste.js';
import { Link } from '../url/link.js';
import css from './shell.module.css';

interface Props {
  readonly onFind: () => void;
  readonly onMenu: () => void;
  readonly menuOpen: boolean;
}

export function TopBar({ onFind, onMenu, menuOpen }: Props) {
  const { data: meta } = useApi('GET /meta');
  return (
    <header className={css.top}>
      <span className={css.menu}><Button look="plain" aria-label="Views" aria-expanded={menuOpen} onClick={onMenu}><Icon name="menu" /></Button></span>
      <Link to="/" className={css.brand}><span className="truncate">{meta?.application ?? 'Treadle'}</span></Link>
      <span className={css.wide}>{meta && <Badge tone={meta.mode === 'production' ? 'warn' : 'ok'} shape="">{meta.mode === 'production' ? 'production' : 'development'}</Badge>}</span>
      <span className={css.wide}>{meta?.session.payloads === false && <Badge title="Bodies, messages, values and fields are withheld: your access shows none. Who runs the engine sets that by auth">No payloads</Badge>}</span>
      <button type="button" className={css.omni} onClick={onFind}><span>Search Steps, ids, keys… or a command</span><span className={css.wide}><Kbd>{MOD} K</Kbd></span></button>
      <LiveMark />
      <span className={css.wide}><ZoneSwitch /></span>
      <ThemeSwitch />
    </header>
  );
}

export const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const WORDS = { live: ['ok', 'Live'], connecting: ['plain', 'Connecting'], gone: ['bad', 'Gone'], refused: ['warn', 'Not live'], partly: ['warn', 'Partly live'] } as const;

function LiveMark() {
  const [status, faults] = [useLiveStatus(), useLiveFaults()];
  const [tone, word] = WORDS[status === 'live' && faults.length > 0 ? 'partly' : status];
  return <Badge tone={tone} shape={tone === 'ok' ? '●' : undefined} title="Whether changes arrive as they happen">{word}</Badge>;
}

function ZoneSwitch() {
  return (
    <select className={css.select} aria-label="Times are shown" value={useZone()} onChange={(event) => void (taste.zone = event.target.value as Zone)}>
      <option value="local">Local time</option><option value="utc">UTC</option><option value="relative">Relative</option>
    </select>
  );
}

function ThemeSwitch() {
  const theme = useSyncExternalStore((listener) => taste.onChange(listener), () => taste.theme);
  const other = theme === 'dark' ? 'light' : 'dark';
  return <Button aria-label={`Use the ${other} theme`} title={`Use the ${other} theme`} onClick={() => void (taste.theme = other)}><Icon name={theme === 'dark' ? 'sun' : 'moon'} /></Button>;
}
