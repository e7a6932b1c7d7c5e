import { useEffect, useRef, useState } from 'react';
import type { PluginView } from '../../api/types.generated.js';
import { Button } from '../../parts/controls.js';
import { Empty } from '../../parts/data-state.js';
import { BASE, useSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { CodeViewMount } from './code-view-mount.js';
import css from './plugins.module.css';
import { useViewSettings } from './view-settings.js';

export type ShownCodeView = Extract<PluginView, { readonly tier: 'module' }>;

/** A view with code of its own, in a shadow root. What it throws stops the view, and leaves the page as it is. */
export function CodeViewHost({ view, path }: { readonly view: ShownCodeView; readonly path: string }) {
  const place = useRef<HTMLDivElement>(null);
  const mount = useRef<CodeViewMount>(undefined);
  const [fault, setFault] = useState<Error>();
  const [tries, setTries] = useState(0);
  const search = useSearch();
  const settings = useViewSettings();
  const given = { ...settings, search, path: path.slice(paths.pluginView(view).length) };
  const latest = useRef(given);
  latest.current = given;
  useEffect(() => {
    if (!place.current) return undefined;
    // A shadow root cannot be taken away: each mount has an element of its own.
    const element = place.current.appendChild(document.createElement('div'));
    const mounted = new CodeViewMount({ view, url: BASE + view.entry, onFault: setFault });
    mount.current = mounted;
    void mounted.start(element.attachShadow({ mode: 'open' }), latest.current);
    return () => {
      mounted.stop();
      element.remove();
    };
  }, [tries]);
  useEffect(() => mount.current?.update(latest.current), [search, path, settings]);
  return (
    <div className={css.host}>
      {fault && <Broken view={view} fault={fault} onAgain={() => {
        setFault(undefined);
        setTries(tries + 1);
      }} />}
      <div ref={place} hidden={fault !== undefined} />
    </div>
  );
}

function Broken({ view, fault, onAgain }: { readonly view: ShownCodeView; readonly fault: Error; readonly onAgain: () => void }) {
  return (
    <Empty title={`${view.title} broke`}>
      <p>The code of this view, of {view.package} {view.version}, has failed: {fault.message}</p>
      <div className="row"><Button onClick={onAgain}>Draw it again</Button><Button onClick={() => location.reload()}>Load the page anew</Button></div>
      <p className="muted">Without it: the setting <code>plugin_views: declarative</code> of the console leaves out views with code.</p>
      <details><summary className="muted">Stack</summary><pre>{fault.stack}</pre></details>
    </Empty>
  );
}
