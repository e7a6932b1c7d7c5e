import { linkTo } from '../../api/client.js';
import type { TraceView } from '../../api/types.generated.js';
import { copyText } from '../../parts/copy.js';
import { Choice, Menu, SaveLink } from '../../parts/menu.js';
import { saveText } from '../../parts/save-text.js';
import { useCapture } from './capture.js';
import { traceMarkdown } from './markdown.js';

const SHORT_ID = 8;

/** What a trace can be taken along as. A file that was opened gives what this page alone can make of it. */
export function ExportMenu({ view }: { readonly view: TraceView }) {
  const ofEngine = useCapture() === undefined;
  const { traceId: id } = view;
  return (
    <Menu title="Export">
      {ofEngine && <SaveLink href={linkTo('GET /traces/{id}/capture', { id })} title="Capture" hint="One file with logs, inputs and Steps; any console opens it" />}
      {ofEngine && <SaveLink href={linkTo('GET /traces/{id}/otlp', { id })} title="OpenTelemetry JSON" hint="OTLP, for collectors and other tools" />}
      <Choice onPick={() => saveText(`trace-${id.slice(0, SHORT_ID)}.md`, 'text/markdown', traceMarkdown(view))} title="Markdown" hint="A summary as a file" />
      <Choice onPick={() => copyText(traceMarkdown(view))} title="Copy as Markdown" hint="The summary, to be pasted" />
    </Menu>
  );
}
