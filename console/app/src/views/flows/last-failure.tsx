import type { StepFailure, StepNode } from '../../api/types.generated.js';
import { refresh, useApi } from '../../api/use-api.js';
import { useChanges } from '../../live/use-changes.js';
import { Answer } from '../../parts/data-state.js';
import { FileRef, TraceRef } from '../../parts/refs.js';
import { Time } from '../../parts/time.js';
import { ReplayPanel } from '../traces/replay-panel.js';
import { Stack } from '../traces/stack.js';
import { Excerpt } from './excerpt.js';
import { frameLine } from './frame-line.js';

/** The latest run of a Step that failed: where in its code, with what it was started, and its way to run again. */
export function LastFailure({ node: { step, file, runs } }: { readonly node: StepNode }) {
  const answer = useApi('GET /traces/failures', { step, limit: 1 }, { keep: true });
  useChanges(String(runs?.errors), () => refresh('GET /traces/failures', { step }), 0);
  return (
    <section aria-label="Last failure">
      <h3>Last failure</h3>
      <Answer of={answer} what="the last failure">{({ items: [failure] }) => (failure ? <Failure key={failure.spanId} failure={failure} step={step} file={file} /> : <p className="muted">Its spans have given way to later ones.</p>)}</Answer>
    </section>
  );
}

function Failure({ failure: { traceId, spanId, startTime, error }, step, file }: { readonly failure: StepFailure; readonly step: string; readonly file: string }) {
  const line = frameLine(error.stack ?? '', file);
  return (
    <>
      <p><strong>{error.type}</strong>: {error.message}</p>
      <p className="row wrap"><Time at={startTime} /><TraceRef id={traceId} span={spanId} />{line !== undefined && <FileRef file={file} line={line} />}</p>
      {line === undefined ? error.stack !== undefined && <Stack text={error.stack} /> : <Excerpt step={step} line={line} />}
      <h3>Its input</h3>
      <ReplayPanel handler={{ traceId, spanId }} />
    </>
  );
}
