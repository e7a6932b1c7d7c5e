import { live, type LiveTopic } from '../live/live-client.js';
import { useLiveFaults, useLiveStatus } from '../live/use-live.js';
import { Button } from '../parts/controls.js';
import { Note } from '../parts/data-state.js';

/** Names of topics that are views of the page, too. */
const NAMES: Readonly<Partial<Record<LiveTopic, string>>> = {
  overview: 'counts of the navigation', queues: 'queues', findings: 'findings', flows: 'flows', steps: 'Steps', modules: 'modules', jobs: 'jobs', logs: 'logs', traces: 'traces', state: 'state', stream: 'streams',
};

/** Says of what is shown that it does not follow the engine, and why, although the engine is there. */
export function LiveFaults() {
  const faults = useLiveFaults();
  if (useLiveStatus() !== 'live') return null;
  return faults.map(({ topic, kind, detail }) => (
    <Note key={`${topic} ${kind} ${detail}`}>
      {kind === 'stale' ? <>Not up to date: {NAMES[topic] ?? topic}. The engine cannot read them: {detail}</> : <>Changes do not arrive: {NAMES[topic] ?? topic}. {detail} <Button look="plain" onClick={() => live.again()}>Follow again</Button></>}
    </Note>
  ));
}
