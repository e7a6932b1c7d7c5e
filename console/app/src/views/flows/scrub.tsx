import { useState } from 'react';
import type { TraceSummary } from '../../api/types.generated.js';
import { plural } from '../../format/numbers.js';
import { useCommands } from '../../keys/commands.js';
import { Button, Kbd } from '../../parts/controls.js';
import controls from '../../parts/controls.module.css';
import { Answer, Loading, Note } from '../../parts/data-state.js';
import { Time } from '../../parts/time.js';
import { useParam } from '../../url/location.js';
import { TraceTimes } from '../traces/trace-times.js';
import css from './flows.module.css';
import { type Busy, busyAt, momentsOf } from './recorded.js';
import { usePlaying } from './use-playing.js';
import type { Recorded } from './use-recorded.js';

/** A moment is rounded up, so that what begins there is in it. */
const PARTS = 100;
const SPEEDS = ['0.25', '0.5', '1', '2', '10'];

/** Where in the recorded time somebody is; the first moment without a choice. */
export function useMoment(times: readonly Busy[]): readonly [at: number, set: (at: number) => void] {
  const [at, setAt] = useParam('at');
  const [first = 0] = momentsOf(times);
  return [at === '' ? first : Number(at), (next) => setAt((Math.ceil(next * PARTS) / PARTS).toFixed(2), { replace: at !== '' })];
}

/** Recorded time below the flow: what ran and what waited at a moment, dragged, stepped or played. */
export function Scrub(recorded: Recorded) {
  const { failed, error, again, page } = recorded;
  return (
    <Answer of={page} what="the recorded runs">
      {({ items, total }) => <>{error && <Note>Could not load {failed} of {plural(items.length, 'trace')}: {error.message} <Button look="plain" onClick={again}>Try again</Button></Note>}<Timeline {...recorded} traces={items} total={total} /></>}
    </Answer>
  );
}

function Timeline({ times, loading, failed, traces, total }: Recorded & { readonly traces: readonly TraceSummary[]; readonly total: number }) {
  const [at, setAt] = useMoment(times);
  const [speed, setSpeed] = useParam('speed', '1');
  const [playing, setPlaying] = useState(false);
  const moments = momentsOf(times);
  const [first, last] = [moments[0] ?? 0, Math.max(...times.map(({ to }) => to), 0)];
  usePlaying(playing, Number(speed) || 1, { at, end: last, onMove: setAt, onEnd: () => setPlaying(false) });
  const step = (to: number | undefined): void => void (to !== undefined && setAt(to));
  const next = (): void => step(moments.find((moment) => moment > at + 0.01));
  const former = (): void => step(moments.findLast((moment) => moment < at - 0.01));
  useCommands([{ title: 'Next recorded event', keys: [']'], run: next }, { title: 'Former recorded event', keys: ['['], run: former }]);
  if (times.length === 0) return loading > 0 ? <Loading what="the recorded runs" /> : failed > 0 ? null : <p className={css.scrub}>No run is recorded in this time.</p>;
  const now = busyAt(times, at);
  const names = (kind: Busy['kind']): string => [...new Set(now.filter((one) => one.kind === kind).map(({ node }) => node.replace(/^\w+:/, '')))].join(', ') || 'nothing';
  return (
    <div className={css.scrub} role="group" aria-label="Recorded time">
      <TraceTimes items={traces} />
      <input type="range" aria-label="Moment" min={first} max={last} step="any" value={Math.max(first, Math.min(last, at))} onChange={(event) => setAt(Number(event.target.value))} />
      <div className="row wrap">
        <Button onClick={() => setPlaying(!playing)}>{playing ? 'Stop' : 'Play'}</Button><Button onClick={former}><Kbd>[</Kbd></Button><Button onClick={next}><Kbd>]</Kbd></Button>
        <select className={controls.button} aria-label="Speed" value={speed} onChange={(event) => setSpeed(event.target.value)}>{SPEEDS.map((one) => <option key={one} value={one}>{one}×</option>)}</select>
        <Time at={at} /><span role="status">ran: {names('ran')}; waited in: {names('waited')}</span>
        <span className="muted">{traces.length < total ? `the latest ${traces.length} of ${plural(total, 'trace')}` : plural(total, 'trace')}</span>
      </div>
    </div>
  );
}
