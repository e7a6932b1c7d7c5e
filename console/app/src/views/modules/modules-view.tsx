import type { ConfigAnswer, ModuleInfo } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { useApi } from '../../api/use-api.js';
import { writeJson } from '../../api/json.js';
import { Badge, Pairs, Panel } from '../../parts/controls.js';
import type { Tone } from '../../parts/tone.js';
import { Answer, Fault } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import table from '../../parts/table.module.css';
import { Tabs } from '../../parts/tabs.js';
import { Time } from '../../parts/time.js';
import { ScrollPage, View } from '../../parts/view.js';
import viewCss from '../../parts/view.module.css';
import { Link } from '../../url/link.js';
import { useParam, usePath } from '../../url/location.js';
import { matchPath } from '../../url/match-path.js';
import { paths } from '../../url/paths.js';
import { AuditList } from './audit-list.js';
import { JobList } from './job-list.js';
import { Workers } from './workers.js';

const TABS = [{ id: 'cards', title: 'Modules' }, { id: 'config', title: 'Configuration' }, { id: 'workers', title: 'Workers' }, { id: 'audit', title: 'Audit' }, { id: 'jobs', title: 'Jobs' }];
/** No topic tells of these. */
const EVERY_MS = 5_000;
const TONES: Readonly<Record<ModuleInfo['status'], Tone>> = { starting: 'info', ok: 'ok', degraded: 'warn', failed: 'bad', stopping: 'warn', stopped: 'plain' };

/** What the engine is made of, what it goes by, and who changed what. */
export default function ModulesView() {
  const [tab, setTab] = useParam('tab', 'cards');
  const id = matchPath('/modules/:id', usePath())?.['id'];
  return (
    <View title="Modules" bar={id !== undefined && <Link to="/modules">All modules</Link>}>
      <Tabs label="Of the engine" tabs={TABS} current={tab} onPick={setTab} />
      <ScrollPage label="Modules">{tab === 'workers' ? <Workers /> : tab === 'jobs' ? <JobList /> : tab === 'audit' ? <AuditList /> : id === undefined ? <OfModules tab={tab} id={id} /> : <OfOne tab={tab} name={id} />}</ScrollPage>
    </View>
  );
}

/** The address has its id, or its class. */
function OfOne({ tab, name }: { readonly tab: string; readonly name: string }) {
  return (
    <Answer of={useSnapshot('GET /modules')} what="modules">
      {({ items }) => {
        const found = items.find((one) => one.id === name) ?? items.find((one) => one.class === name);
        return found ? <OfModules tab={tab} id={found.id} /> : <NotThere what="module" name={name} to="/modules" list="All modules" />;
      }}
    </Answer>
  );
}

function OfModules({ tab, id }: { readonly tab: string; readonly id: string | undefined }) {
  return tab === 'config' ? <Config module={id} /> : <Cards id={id} />;
}

function Cards({ id }: { readonly id: string | undefined }) {
  const answer = useSnapshot('GET /modules');
  const engine = useApi('GET /meta', {}, { every: () => EVERY_MS });
  const meta = engine.data;
  return (
    <Answer of={answer} what="modules">
      {({ items }) => (
        <>
          {id === undefined && <Fault of={engine} what="the engine" />}
          {meta && id === undefined && <Panel title="Engine"><Pairs items={[['Version', meta.version], ['Mode', meta.mode], ['Health', <Badge key="health" tone={meta.health.status === 'ok' ? 'ok' : 'bad'}>{meta.health.status}</Badge>], ['Since', <Time key="since" at={meta.startedAt} />], ['Process', meta.pid], ['Folder', <span key="root" className="mono">{meta.root}</span>], ...Object.entries(meta.addresses).map(([name, address]) => [name, <span key={name} className="mono">{address}</span>] as const)]} /></Panel>}
          <div className={viewCss.cards}>{items.filter((one) => id === undefined || one.id === id).map((one) => <Card key={one.id} of={one} />)}</div>
        </>
      )}
    </Answer>
  );
}

function Card({ of: { id, class: name, kind, path, package: from, version, status, message, routes } }: { readonly of: ModuleInfo }) {
  return (
    <Panel title={<span className="row"><Link to={paths.module(id)} className="grow truncate" title={id}>{name.split('::').at(-1)}</Link><Badge tone={TONES[status]}>{status}</Badge></span>}>
      {message && <p>{message}</p>}
      <Pairs items={[['Class', <span key="class" className="mono">{name}</span>], ['Kind', kind], ['Configured at', <span key="path" className="mono">{path}</span>], ['Package', `${from} ${version}`], routes.length > 0 && ['API routes', routes.length]]} />
    </Panel>
  );
}

function Config({ module }: { readonly module: string | undefined }) {
  const answer = useApi('GET /config', {}, { every: () => EVERY_MS });
  return (
    <Answer of={answer} what="the configuration">
      {({ items, file }) => (
        <>
          {file && <p className="muted">File <span className="mono">{file}</span>; secrets are masked.</p>}
          <div style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Settings">
            <table className={table.table}>
              <thead><tr><th>Setting</th><th>Value</th><th>Where it comes from</th></tr></thead>
              <tbody>{items.filter((one) => module === undefined || one.module === module).map((one) => <tr key={one.path}><td className="mono">{one.path}</td><td className="mono">{one.secret ? '••••••' : writeJson(one.value)}</td><td>{originWords(one.origin)}</td></tr>)}</tbody>
            </table>
          </div>
        </>
      )}
    </Answer>
  );
}

function originWords({ kind, line, variable }: ConfigAnswer['items'][number]['origin']): string {
  if (kind === 'file') return line === undefined ? 'file' : `line ${line}`;
  return kind === 'environment' ? `variable ${variable ?? ''}` : kind;
}
