import { useState } from 'react';
import type { TraceCapture } from '../../api/types.generated.js';
import { Badge, Button } from '../../parts/controls.js';
import { Empty, Note } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { Time } from '../../parts/time.js';
import { View } from '../../parts/view.js';
import { Link } from '../../url/link.js';
import { patchSearch } from '../../url/location.js';
import { CaptureContext } from './capture.js';
import css from './capture-page.module.css';
import { type ReadCapture, readCapture } from './read-capture.js';
import { Detail } from './trace-detail.js';

interface Opened {
  readonly name: string;
  readonly read: ReadCapture;
}

/** What was opened last; it stays while the page does, so that Back shows it again. */
let last: Opened | undefined;

/** A file with a trace, shown as a trace of the engine is. It is read in this page alone. */
export function CapturePage() {
  const [opened, setOpened] = useState(last);
  const open = async (file: File): Promise<void> => {
    last = { name: file.name, read: readCapture(await file.text()) };
    patchSearch({ span: null, mode: null, tab: null, critical: null }, { replace: true });
    setOpened(last);
  };
  const { name, read } = opened ?? {};
  return (
    <View title="Capture" bar={<><Link to="/traces">All traces</Link>{name !== undefined && <span className="mono muted truncate">{name}</span>}<span className="grow" />{read?.capture && <Chooser onFile={(file) => void open(file)} />}</>}>
      {read?.capture ? <Shown key={`${name ?? ''} ${read.capture.takenAt}`} capture={read.capture} /> : (
        <Empty title="Open a capture">
          {read && <p role="alert">{read.fault}. <span className="mono">{name}</span></p>}
          <p>A file that <em>Export</em> at a trace has made, or <code>npx treadle traces &lt;id&gt; --capture &lt;file&gt;</code>. It is shown here, and sent nowhere.</p>
          <Chooser onFile={(file) => void open(file)} />
        </Empty>
      )}
    </View>
  );
}

function Chooser({ onFile }: { readonly onFile: (file: File) => void }) {
  return <label className={css.chooser}><span>Choose a file</span><input type="file" accept=".json,application/json" onChange={({ target }) => void (target.files?.[0] && onFile(target.files[0]))} /></label>;
}

function Shown({ capture }: { readonly capture: TraceCapture }) {
  const [versions, setVersions] = useState(false);
  const { engine, takenAt, inputs, logs, trace, steps } = capture;
  return (
    <CaptureContext value={capture}>
      <div className={css.about}>
        <Badge>read only</Badge><span>of <strong>{engine.application}</strong>, {engine.mode}, Treadle {engine.version}</span><span className="muted">taken <Time at={takenAt} /></span>
        <Button on={versions} onClick={() => setVersions(!versions)}>Steps as they were</Button>
      </div>
      {inputs.note !== undefined && <Note>Not all inputs are in the file: {inputs.note}.</Note>}
      {logs.total > logs.items.length && <Note>The first {logs.items.length} of {logs.total} log lines are in the file.</Note>}
      {versions && <Versions steps={steps} />}
      <Detail view={trace} />
    </CaptureContext>
  );
}

const SHORT_HASH = 12;

function Versions({ steps }: { readonly steps: TraceCapture['steps'] }) {
  return (
    <div className={css.versions} tabIndex={0} role="region" aria-label="Steps as they were">
      <table className={table.table}>
        <thead><tr><th>Step</th><th>File</th><th>SHA-256 of the file</th><th className={table.narrow}>Config</th><th className={table.narrow}>Build</th></tr></thead>
        <tbody>{steps.map(({ step, file, line, sourceHash, configHash, builds }) => (
          <tr key={step}><td>{step}</td><td className="mono">{file}{line !== undefined && `:${line}`}</td><td className="mono" title={sourceHash}>{sourceHash?.slice(0, SHORT_HASH) ?? 'not known'}</td><td className={`mono ${table.narrow}`}>{configHash.slice(0, SHORT_HASH)}</td><td className={table.narrow}>{builds.join(', ') || '–'}</td></tr>
        ))}</tbody>
      </table>
    </div>
  );
}
