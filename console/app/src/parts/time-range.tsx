import { useEffect, useState } from 'react';
import { fieldTime, minuteTime, writtenTime } from '../format/time.js';
import { patchSearch, useParam } from '../url/location.js';
import { Button, Field, Input } from './controls.js';
import { Choice, Menu } from './menu.js';
import { useZone } from './time.js';
import css from './time-range.module.css';

const MINUTE_MS = 60_000;
const LAST = [[5, 'Last 5 minutes'], [15, 'Last 15 minutes'], [60, 'Last hour'], [24 * 60, 'Last 24 hours']] as const;

/** The stretch of time that a view shows. It stands in the address as `from` and `to`. */
export function TimeRange() {
  const [from] = useParam('from');
  const [to] = useParam('to');
  const zone = useZone();
  const short = (moment: string): string => (Number.isNaN(Date.parse(moment)) ? moment : minuteTime(Date.parse(moment), zone));
  const title = from === '' && to === '' ? 'Any time' : to === '' ? `Since ${short(from)}` : from === '' ? `Until ${short(to)}` : `${short(from)} – ${short(to)}`;
  return (
    <>
      <Menu title={title}>
        {LAST.map(([minutes, words]) => <Choice key={minutes} title={words} onPick={() => patchSearch({ from: new Date(Date.now() - minutes * MINUTE_MS).toISOString(), to: null })} />)}
        <Between key={`${from} ${to}`} from={from} to={to} />
      </Menu>
      {(from !== '' || to !== '') && <Button onClick={() => patchSearch({ from: null, to: null })}>All times</Button>}
    </>
  );
}

function Between({ from, to }: { readonly from: string; readonly to: string }) {
  const zone = useZone();
  const [begin, setBegin] = useState(fieldTime(from, zone));
  const [end, setEnd] = useState(fieldTime(to, zone));
  useEffect(() => {
    setBegin(fieldTime(from, zone));
    setEnd(fieldTime(to, zone));
  }, [zone]);
  const [first, last] = [writtenTime(begin, zone), writtenTime(end, zone)];
  const isTurned = first !== undefined && last !== undefined && last <= first;
  return (
    <div className={css.between}>
      <Field label={`From (${zone === 'utc' ? 'UTC' : 'local time'})`}><Input type="datetime-local" step={1} value={begin} onChange={({ target }) => setBegin(target.value)} /></Field>
      <Field label="To, which is not in it"><Input type="datetime-local" step={1} value={end} onChange={({ target }) => setEnd(target.value)} /></Field>
      {isTurned && <p role="alert">It ends before it begins.</p>}
      <Button look="primary" disabled={isTurned || (first ?? last) === undefined} onClick={() => patchSearch({ from: iso(first), to: iso(last) })}>Show this time</Button>
    </div>
  );
}

const iso = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
