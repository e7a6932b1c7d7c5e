import { useApi } from '../api/use-api.js';
import { useSnapshot } from '../live/use-snapshot.js';
import { count } from '../format/numbers.js';
import { age } from '../format/duration.js';
import { Button, Kbd } from '../parts/controls.js';
import css from './shell.module.css';

/** What answers, and how much of the past it still has. */
export function FootBar({ onKeys, onViews }: { readonly onKeys: () => void; readonly onViews: () => void }) {
  const { data: meta } = useApi('GET /meta');
  const { data: overview } = useSnapshot('GET /overview');
  const spans = overview?.telemetry?.spans;
  return (
    <footer className={css.foot}>
      {meta && <span>engine {meta.version}</span>}
      {meta && Object.entries(meta.addresses).filter(([name]) => ['http', 'stream', 'streams'].includes(name)).map(([name, address]) => <span key={name}>{name} {address.replace(/^\w+:\/\//, '')}</span>)}
      {spans && <span>spans {count(spans.kept)}/{count(spans.max)}{spans.oldest !== undefined && `, oldest ${age(overview.time - spans.oldest)}`}{spans.evicted > 0 && `, ${count(spans.evicted)} evicted`}</span>}
      <Button look="plain" onClick={onViews}><Kbd>v</Kbd> saved views</Button>
      <Button look="plain" onClick={onKeys}><Kbd>?</Kbd> keys</Button>
    </footer>
  );
}
