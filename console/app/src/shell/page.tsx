import { useEffect, useState } from 'react';
import { useApi } from '../api/use-api.js';
import { usePluginViews } from '../views/plugins/use-plugin-views.js';
import { live } from '../live/live-client.js';
import { useLiveStatus } from '../live/use-live.js';
import { startKeys } from '../keys/dispatcher.js';
import { useCommands } from '../keys/commands.js';
import { copying, markdownLink } from '../parts/copy.js';
import { Toasts } from '../parts/toasts.js';
import { taste } from '../theme/taste.js';
import { navigate, usePath } from '../url/location.js';
import { paths } from '../url/paths.js';
import { Content } from './content.js';
import { FootBar } from './foot-bar.js';
import { KeysHelp } from './keys-help.js';
import { LiveBanner } from './live-banner.js';
import { Nav } from './nav.js';
import { Omnibox } from './omnibox.js';
import css from './shell.module.css';
import { openMenuAtFocus, RefLayer } from './refs/ref-layer.js';
import { SignIn } from './sign-in.js';
import { TopBar } from './top-bar.js';
import { useSavedViews } from './saved-views.js';
import { ViewsDialog } from './views-dialog.js';
import { isPluginViewAt, VIEWS, viewOf } from './views.js';

/** The whole page: bars, navigation and the view of the address. */
export function Page() {
  const meta = useApi('GET /meta');
  useEffect(startKeys, []);
  useTitle(meta.data?.application);
  useRefreshAfterReturn(meta.refetch);
  const known = meta.data !== undefined;
  useEffect(() => void (known && live.start()), [known]);
  if (meta.error?.status === 401) return <SignIn />;
  return <Shell />;
}

function Shell() {
  const [dialog, setDialog] = useState<'omnibox' | 'copies' | 'keys' | 'views' | undefined>();
  const [menu, setMenu] = useState(false);
  const path = usePath();
  const title = useViewTitle();
  const plugins = usePluginViews().data?.items ?? [];
  const saved = useSavedViews();
  useEffect(() => setMenu(false), [path]);
  useCommands([
    ...VIEWS.map(({ title, key, path: to }) => ({ title: `Go to ${title}`, keys: [`g ${key}`], run: () => navigate(to) })),
    ...plugins.map((view) => ({ title: `Go to ${view.title}`, run: () => navigate(paths.pluginView(view)) })),
    ...saved.map((view) => ({ title: `View: ${view.title}`, run: () => navigate(view.path) })),
    { title: 'Saved views', keys: ['v'], run: () => setDialog('views') },
    { title: 'Find anything', keys: ['mod+k'], run: () => setDialog('omnibox') },
    { title: 'Keys that work here', keys: ['?'], run: () => setDialog('keys') },
    copying('a link to what is shown', () => location.href),
    copying('a link in Markdown', () => markdownLink(title, location.href)),
    { title: 'What can be copied here, or be done with the reference that has the focus', keys: ['y'], run: () => void (openMenuAtFocus() || setDialog('copies')) },
    { title: 'Switch between dark and light', run: () => void (taste.theme = taste.theme === 'dark' ? 'light' : 'dark') },
    { title: taste.letterKeys ? 'Switch keys of one letter off' : 'Switch keys of one letter on', run: () => void (taste.letterKeys = !taste.letterKeys) },
  ]);
  return (
    <div className={css.shell}>
      <TopBar onFind={() => setDialog('omnibox')} onMenu={() => setMenu(!menu)} menuOpen={menu} />
      <Nav open={menu} path={path} />
      <main className={css.main} aria-label={title}><LiveBanner /><Content path={path} /></main>
      <FootBar onKeys={() => setDialog('keys')} onViews={() => setDialog('views')} />
      {dialog === 'omnibox' && <Omnibox onClose={() => setDialog(undefined)} />}
      {dialog === 'copies' && <Omnibox copies onClose={() => setDialog(undefined)} />}
      {dialog === 'keys' && <KeysHelp onClose={() => setDialog(undefined)} />}
      {dialog === 'views' && <ViewsDialog title={title} onClose={() => setDialog(undefined)} />}
      <RefLayer />
      <Toasts />
    </div>
  );
}

function useTitle(application: string | undefined): void {
  const title = useViewTitle();
  useEffect(() => {
    document.title = [title, application, 'Treadle'].filter(Boolean).join(' · ');
  }, [title, application]);
}

function useViewTitle(): string {
  const path = usePath();
  const plugins = usePluginViews().data?.items ?? [];
  return plugins.find((view) => isPluginViewAt(path, view))?.title ?? viewOf(path)?.title ?? 'Not found';
}

/** Another engine may answer after a restart. */
function useRefreshAfterReturn(refetch: () => unknown): void {
  const status = useLiveStatus();
  useEffect(() => {
    if (status === 'live') void refetch();
  }, [status]);
}
