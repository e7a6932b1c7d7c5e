import type { RuntimeWorker, WorkersAnswer } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { bytes, plural } from '../../format/numbers.js';
import { duration } from '../../format/duration.js';
import { Badge, Pairs, Panel } from '../../parts/controls.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import type { Tone } from '../../parts/tone.js';
import viewCss from '../../parts/view.module.css';

/** No topic tells of these. */
const EVERY_MS = 5_000;
const TONES: Readonly<Record<RuntimeWorker['state'], Tone>> = { starting: 'info', ready: 'ok', restarting: 'warn', crash_looping: 'bad', stopped: 'plain' };

/** Processes that run Steps: those that the engine keeps running, those that are connected, and how they ended. */
export function Workers() {
  const answer = useApi('GET /workers', {}, { every: () => EVERY_MS });
  return <Answer of={answer} what="workers">{(found) => (found.sessions.length + found.workers.length + found.crashes.length === 0 ? <NoWorkers /> : <All of={found} />)}</Answer>;
}

function NoWorkers() {
  return <Empty title="No Step process"><p>The engine starts one for each language of which it finds Steps. Others connect by themselves, such as Steps of another application.</p></Empty>;
}

function All({ of: { sessions, workers, crashes } }: { readonly of: WorkersAnswer }) {
  return (
    <>
      {workers.filter(({ state }) => state === 'crash_looping').map(({ runtime, worker, restarts }) => <Note key={`${runtime} ${worker}`}><Badge tone="bad">crash loop</Badge> The {runtime} process ends again and again ({plural(restarts, 'restart')}); the engine waits longer before each new start, and its Steps are not served meanwhile. What it said last stands below.</Note>)}
      {workers.length > 0 && <Panel title="Processes of the engine"><ul className="stack">{workers.map((one) => <li key={`${one.runtime} ${one.worker}`} className="row wrap"><Badge tone={TONES[one.state]}>{one.state.replaceAll('_', ' ')}</Badge><span>{one.runtime}{one.worker > 0 && ` ${one.worker + 1}`}</span>{one.pid !== undefined && <span className="mono muted">{one.pid}</span>}<span className="muted">{one.restarts === 0 ? 'never restarted' : plural(one.restarts, 'restart')}</span></li>)}</ul></Panel>}
      <div className={viewCss.cards}>{sessions.map((one) => <Session key={one.id} of={one} />)}</div>
      {sessions.length === 0 && <p className="muted">No process is connected: no Step is served now.</p>}
      {crashes.map((crash, at) => <Panel key={at} title={<span className="row wrap"><Badge tone="bad">{crash.crashLooping ? 'crash loop' : 'crash'}</Badge>{crash.runtime}: {crash.reason}</span>}><p className="muted">It was started again {crash.restartMs === 0 ? 'at once' : `after ${duration(crash.restartMs)}`}.</p><pre className="mono" tabIndex={0}>{crash.output || 'It said nothing.'}</pre></Panel>)}
    </>
  );
}

function Session({ of: { runtime, version, running, pid, origin, application, memoryBytes, cpuSeconds, steps } }: { readonly of: WorkersAnswer['sessions'][number] }) {
  return (
    <Panel title={<span className="row"><span className="grow">{runtime} {version}</span><Badge tone={running > 0 ? 'info' : 'ok'}>{running > 0 ? `${running} running` : 'ready'}</Badge></span>}>
      <Pairs items={[['Process', pid], ['Started by', origin === 'child' ? 'the engine' : origin], application !== undefined && ['Application', application], ['Memory', memoryBytes === undefined ? undefined : bytes(memoryBytes)], ['CPU', cpuSeconds === undefined ? undefined : `${cpuSeconds.toFixed(1)} s in all`], ['Steps', steps.join(', ')]]} />
    </Panel>
  );
}
