import type { PluginView } from '../../api/types.generated.js';
import { usePluginViews } from './use-plugin-views.js';
import { Badge } from '../../parts/controls.js';
import { Answer, Empty, Note } from '../../parts/data-state.js';
import { View } from '../../parts/view.js';
import { isPluginViewAt } from '../../shell/views.js';
import { Link } from '../../url/link.js';
import { usePath } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { CodeViewHost } from './code-view-host.js';
import { DeclaredViewPage } from './declared-view-page.js';

/** A view that a plugin brings. */
export default function PluginViewPage() {
  const path = usePath();
  return (
    <Answer of={usePluginViews()} what="the plugin's view">
      {({ items }) => {
        const view = items.find((one) => isPluginViewAt(path, one));
        return view ? <Shown key={`${view.plugin} ${view.id}`} view={view} path={path} /> : <NoView />;
      }}
    </Answer>
  );
}

function Shown({ view, path }: { readonly view: PluginView; readonly path: string }) {
  const runs = view.status === 'ok' || view.status === 'degraded';
  return (
    <View title={view.title} bar={<><span className="grow" /><Badge title={`The class ${view.module}`}>{view.package} {view.version}</Badge></>}>
      {!runs && <Note>Its module is {view.status}: <Link to={paths.module(view.module)}>{view.module}</Link></Note>}
      {view.tier === 'declarative' ? <DeclaredViewPage view={view} /> : <CodeViewHost key={view.entry} view={view} path={path} />}
    </View>
  );
}

function NoView() {
  return <Empty title="No plugin has this view"><p>A view of a plugin is there while the engine has its module, and unless the setting <code>plugin_views</code> of the console leaves it out. <Link to="/modules">Modules</Link></p></Empty>;
}
