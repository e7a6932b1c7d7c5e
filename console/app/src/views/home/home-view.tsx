import { useSyncExternalStore } from 'react';
import { useMeta, useOverview, useSteps } from '../../api/answers.js';
import type { TracePage } from '../../../../src/contract/index.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useLive } from '../../live/use-live.js';
import { Answer } from '../../parts/data-state.js';
import { ScrollPage } from '../../parts/view.js';
import { taste } from '../../theme/taste.js';
import { FirstRun } from './first-run.js';
import { WhatIsWrong } from './what-is-wrong.js';

const RECENT = 20;

/** Before anything ran: what to do. Afterwards: what is wrong now. */
export default function HomeView() {
  const meta = useMeta();
  const steps = useSteps();
  const traces = useApi<TracePage>('/traces', { limit: RECENT, q: '-trigger:stream.declaration' });
  useOverview();
  const seen = useSyncExternalStore((listener) => taste.onChange(listener), () => taste.read(`seen ${meta.data?.root ?? ''}`));
  useLive('traces', {}, { events: () => refresh('/traces'), resumed: () => refresh('/traces') });
  return (
    <ScrollPage label="Home">
      <Answer of={meta} what="the engine">
        {(engine) => <Answer of={steps} what="Steps">{(all) => <Answer of={traces} what="traces">{(page) => (seen === null ? <FirstRun meta={engine} steps={all} traces={page} /> : <WhatIsWrong meta={engine} traces={page} />)}</Answer>}</Answer>}
      </Answer>
    </ScrollPage>
  );
}
