import { useState } from 'react';
import { useSnapshot } from '../../live/use-snapshot.js';
import { useCommands } from '../../keys/commands.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Answer, Empty, Filtered } from '../../parts/data-state.js';
import { NotThere } from '../../parts/not-there.js';
import { QueryBar } from '../../parts/query-bar.js';
import { FileRef, StepRef } from '../../parts/refs.js';
import { Method } from '../../parts/status-badge.js';
import table from '../../parts/table.module.css';
import { View } from '../../parts/view.js';
import { VirtualTable } from '../../parts/virtual-table.js';
import { Link } from '../../url/link.js';
import { navigate, useParam, usePath } from '../../url/location.js';
import { matchPath } from '../../url/match-path.js';
import { paths } from '../../url/paths.js';
import { type Endpoint, endpointsOf } from './endpoint.js';
import { RequestPage } from './request-page.js';

const ROW = 34;

/** HTTP endpoints: the list, or one of them. */
export default function EndpointsView() {
  const at = matchPath('/endpoints/:step/:trigger', usePath());
  const steps = useSnapshot('GET /steps');
  useCommands([{ title: 'All endpoints', keys: at ? ['Escape'] : [], quiet: true, run: () => navigate('/endpoints') }]);
  return (
    <Answer of={steps} what="endpoints">
      {({ items }) => {
        const endpoints = endpointsOf(items);
        if (!at) return <EndpointList endpoints={endpoints} />;
        const found = endpoints.find(({ step, trigger }) => step === at['step'] && String(trigger) === at['trigger']);
        return found ? <RequestPage key={`${found.step} ${found.trigger}`} endpoint={found} /> : <NotThere what="endpoint" name={`${at['step']}/${at['trigger']}`} to="/endpoints" list="All endpoints" />;
      }}
    </Answer>
  );
}

function EndpointList({ endpoints }: { readonly endpoints: readonly Endpoint[] }) {
  const [q, setQuery] = useParam('q');
  const [at, setAt] = useState(-1);
  const words = q.toLowerCase().split(/\s+/);
  const found = endpoints.filter((one) => words.every((word) => `${one.method} ${one.path} ${one.step} ${one.description} ${Object.keys((one.body?.['properties'] as object | undefined) ?? {}).join(' ')}`.toLowerCase().includes(word)));
  const link = ({ step, trigger }: Endpoint): string => paths.endpoint(step, trigger);
  useRowKeys(found.length, at, { onMove: setAt, onOpen: (index) => void (found[index] && navigate(link(found[index]))) });
  return (
    <View title="Endpoints" bar={<><QueryBar value={q} onQuery={setQuery} label="Search endpoints" example="method, path, Step or field" /><span className="muted">{found.length} of {endpoints.length}</span></>}>
      {endpoints.length === 0 ? <Empty title="No HTTP Steps"><pre>{"triggers: [http('GET', '/hello')]"}</pre></Empty> : found.length === 0 ? <Filtered what="endpoints" query={q} onDrop={() => setQuery(null)} /> : (
        <VirtualTable<Endpoint>
          items={found} keyOf={link} label="Endpoints" rowHeight={ROW} current={at}
          head={<><th>Method</th><th>Path</th><th className={table.narrow}>Step</th><th className={table.narrow}>Flow</th><th className={table.narrow}>What it does</th><th className={table.narrow}>Code</th></>}
          render={(one) => <><td><Method method={one.method} /></td><td><Link className="mono" to={link(one)}>{one.path}</Link></td><td className={table.narrow}><StepRef step={one.step} /></td><td className={table.narrow}>{one.flow}</td><td className={table.narrow}>{one.description}</td><td className={table.narrow}><FileRef file={one.file} line={one.line} /></td></>}
        />
      )}
    </View>
  );
}
