import { type ReactNode, useSyncExternalStore } from 'react';
import { useSnapshot } from '../../live/use-snapshot.js';
import type { TracePage, TraceSummary } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { Answer } from '../../parts/data-state.js';
import { ScrollPage } from '../../parts/view.js';
import { taste } from '../../theme/taste.js';
import { useLiveTraces } from '../traces/use-live-traces.js';
import { NO_RUN, RECENT_RUNS } from './first-questions.js';
import { FirstRun } from './first-run.js';
import { WhatIsWrong } from './what-is-wrong.js';

/** Before anything ran: what to do. Afterwards: what is wrong now. */
export default function HomeView() {
  const meta = useApi('GET /meta');
  const steps = useSnapshot('GET /steps');
  const traces = useApi('GET /traces', RECENT_RUNS);
  useSnapshot('GET /overview');
  // Asked for with the others, though not drawn before them.
  useSnapshot('GET /findings');
  const seen = useSyncExternalStore((listener) => taste.onChange(listener), () => taste.read(`seen ${meta.data?.root ?? ''}`));
  return (
    <ScrollPage label="Home">
      <Answer of={meta} what="the engine">
        {(engine) => <Answer of={steps} what="Steps">{(all) => <Answer of={traces} what="traces">{(page) => <Runs page={page}>{(runs) => (seen === null ? <FirstRun meta={engine} steps={all} latest={runs} /> : <WhatIsWrong meta={engine} latest={runs} />)}</Runs>}</Answer>}</Answer>}
      </Answer>
    </ScrollPage>
  );
}

/** The latest runs, as they come. */
function Runs({ page, children }: { readonly page: TracePage; readonly children: (runs: readonly TraceSummary[]) => ReactNode }) {
  return children(useLiveTraces(page, { q: '', most: RECENT_RUNS.limit, atATime: RECENT_RUNS.limit, fits: ({ trigger }) => trigger !== NO_RUN }).items);
}
