import { useState } from 'react';
import type { QueuesAnswer } from '../../api/types.generated.js';
import { age } from '../../format/duration.js';
import { plural } from '../../format/numbers.js';
import { ActButton } from '../../parts/act-button.js';
import { Empty } from '../../parts/data-state.js';
import { PurgeDialog } from './purge-dialog.js';

/** A topic that no Step consumes: what lies in it, and how to be rid of that. */
export function UnroutedTopic({ topic, lies }: { readonly topic: string; readonly lies: QueuesAnswer['unrouted'][number] | undefined }) {
  const [purging, setPurging] = useState(false);
  return (
    <Empty title="Nobody consumes this topic">
      {lies && <p>{plural(lies.count, 'message')} wait{lies.count === 1 && 's'} for a consumer, the oldest for {age(lies.oldestAgeMs)}.</p>}
      <p>Messages that are enqueued to “{topic}” wait until a Step with <code>queue('{topic}')</code> is there.</p>
      {lies && topic !== '' && <ActButton look="danger" onClick={() => setPurging(true)}>Empty…</ActButton>}
      {lies && purging && <PurgeDialog of={{ topic }} name={topic} there={lies.count} onClose={() => setPurging(false)} />}
    </Empty>
  );
}
