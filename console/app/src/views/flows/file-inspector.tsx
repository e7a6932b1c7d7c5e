import type { FileNode } from '../../api/types.generated.js';
import { useEditorKey } from '../../keys/use-editor-key.js';
import { Badge, Pairs } from '../../parts/controls.js';
import { NotThere } from '../../parts/not-there.js';
import { FileRef } from '../../parts/refs.js';
import { Inspector } from '../../parts/view.js';

/** A file of which no Step could be loaded, and why. Without a node it is none of those. */
export function FileInspector({ file, node, onClose }: { readonly file: string; readonly node: FileNode | undefined; readonly onClose: () => void }) {
  return <Inspector title={node?.title ?? file} onClose={onClose}>{node ? <WhyNot node={node} /> : <NotThere what="file that does not load" name={file} to="/flows" list="All flows" />}</Inspector>;
}

function WhyNot({ node: { file, diagnostics } }: { readonly node: FileNode }) {
  const line = diagnostics.find((one) => one.line !== undefined)?.line;
  useEditorKey(file, line);
  return (
    <>
      <Pairs items={[['Code', <FileRef key="file" file={file} line={line} />]]} />
      <p>No Step of this file is served. It is loaded again as soon as it is saved.</p>
      <ul className="stack">{diagnostics.map((one) => <li key={`${one.code} ${one.line ?? ''} ${one.message}`}><Badge tone={one.severity === 'error' ? 'bad' : 'warn'}>{one.severity}</Badge> <span className="mono">{one.code}</span>{one.line !== undefined && <> <FileRef file={file} line={one.line} /></>}<br />{one.message}. {one.remedy}</li>)}</ul>
    </>
  );
}
