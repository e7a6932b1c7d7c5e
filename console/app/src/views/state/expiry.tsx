import { useState } from 'react';
import type { StateItem } from '../../api/types.generated.js';
import { call } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Field, Input } from '../../parts/controls.js';
import { Time } from '../../parts/time.js';
import { attempt } from '../../parts/toasts.js';
import { lifetimeOf } from './lifetime.js';
import { refreshKey } from './refresh-key.js';

/** When a value expires, and a way to change that: over the revision that is shown, never over another write. */
export function Expiry({ group, item }: { readonly group: string; readonly item: StateItem }) {
  const { data, error } = useApi('GET /state/groups/{group}/keys/{key}/expiry', { group, key: item.key });
  const [text, setText] = useState<string>();
  const ttlMs = lifetimeOf(text ?? '');
  const write = (ms: number | null): void => void attempt(async () => {
    await call('PUT /state/groups/{group}/keys/{key}/expiry', { group, key: item.key, body: { ttlMs: ms, revision: item.revision } });
    setText(undefined);
  }, ms === null ? `${item.key} stays` : `${item.key} expires`).then(() => refreshKey(group, item.key));
  if (!data) return error ? <span className="muted">not known: {error.message}</span> : '…';
  return (
    <div className="row wrap">
      <span>{data.expiresAt !== undefined ? <Time at={data.expiresAt} /> : data.known ? 'never' : <span className="muted">this store does not tell</span>}</span>
      {text === undefined ? <ActButton look="plain" onClick={() => setText('')}>Change</ActButton> : (
        <form className="row wrap" onSubmit={(event) => {
          event.preventDefault();
          if (ttlMs !== undefined) write(ttlMs);
        }}>
          <Field label="From now on"><Input value={text} autoFocus placeholder="30s, 15m, 2h, 7d" style={{ width: 110 }} onChange={({ target }) => setText(target.value)} /></Field>
          <Button type="submit" disabled={ttlMs === undefined}>Set</Button><Button onClick={() => write(null)}>Never</Button><Button look="plain" onClick={() => setText(undefined)}>Cancel</Button>
        </form>
      )}
    </div>
  );
}
