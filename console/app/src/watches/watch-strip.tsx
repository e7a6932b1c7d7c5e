import { KeyWatch } from './key-watch.js';
import { LogsWatch } from './logs-watch.js';
import { TopicWatch } from './topic-watch.js';
import { TraceWatch } from './trace-watch.js';
import { useWatches } from './use-watches.js';
import css from './watches.module.css';
import { type Watch, watchName } from './watches.js';

/** What somebody watches, in sight whatever view is open. */
export default function WatchStrip() {
  const { all, toggle } = useWatches();
  return <ul className={css.strip} aria-label="Watched">{all.map((watch) => <One key={watchName(watch)} watch={watch} onLeave={() => toggle(watch)} />)}</ul>;
}

function One({ watch, onLeave }: { readonly watch: Watch; readonly onLeave: () => void }) {
  switch (watch.kind) {
    case 'key': return <KeyWatch group={watch.group} name={watch.key} onLeave={onLeave} />;
    case 'trace': return <TraceWatch id={watch.id} name={watch.name} onLeave={onLeave} />;
    case 'topic': return <TopicWatch topic={watch.topic} onLeave={onLeave} />;
    case 'logs': return <LogsWatch q={watch.q} onLeave={onLeave} />;
  }
}
