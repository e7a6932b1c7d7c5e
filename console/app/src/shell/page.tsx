import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Meta } from '../api/types.generated.js';
import { useApi } from '../api/use-api.js';
import { useFollowedPluginViews, usePluginViews } from '../views/plugins/use-plugin-views.js';
import { live } from '../live/live-client.js';
import { useLiveStatus } from '../live/use-live.js';
import { isInDialog, startKeys } from '../keys/dispatcher.js';
import { keepFocus } from '../keys/keep-focus.js';
import { useCommands } from '../keys/commands.js';
import { Jobs } from '../jobs/jobs.js';
import { copying, markdownLink } from '../parts/copy.js';
import { Toasts } from '../parts/toasts.js';
import { taste } from '../theme/taste.js';
import { navigate, usePath } from '../url/location.js';
import { paths } from '../url/paths.js';
import { Content } from './content.js';
import { FootBar } from './foot-bar.js';
import { KeysHelp } from './keys-help.js';
import { LiveBanner } from './live-banner.js';
import { LiveFaults } from './live-faults.js';
import { Nav } from './nav.js';
import { Omnibox } from './omnibox.js';
import css from './shell.module.css';
import { openMenuAtFocus, RefLayer } from './refs/ref-layer.js';
import { SignIn } from './sign-in.js';
import { TopBar } from './top-bar.js';
import { useSavedViews } from './saved-views.js';
import { ViewsDialog } from './views-dialog.js';
import { lazily } from '../parts/lazily.js';
import { news, seeWhenLooking } from '../watches/tell.js';
import { useWatches } from '../watches/use-watches.js';
import { isPluginViewAt, VIEWS, viewOf } from './views.js';

const WatchStrip = lazily(() => import('../watches/watch-strip.js'));

/** The whole page: bars, navigation and the view of the address. */
export function Page() {
  const meta = useApi('GET /meta');
  useEffect(startKeys, []);
  useEffect(keepFocus, []);
  useTitle(meta.data?.application);
  useRefreshAfterReturn(meta);
  const known = meta.data !== undefined;
  useEffect(() => void (known && live.start()), [known]);
  if (meta.error?.status === 401) return <SignIn />;
  return <Shell />;
}

function Shell() {
  const [dialog, setDialog] = useState<'omnibox' | 'copies' | 'keys' | 'views' | undefined>();
  const [menu, setMenu] = useState(false);
  const place = useRef<HTMLElement>(null);
  const path = usePath();
  const title = useViewTitle();
  const plugins = useFollowedPluginViews().data?.items ?? [];
  const saved = useSavedViews();
  const watched = useWatches().all.length > 0;
  const leaveMenu = (): void => {
    // On a narrow page it lies over the view and goes with this: a link that is not shown cannot keep the focus.
    if (menu) place.current?.focus({ preventScroll: true });
    setMenu(false);
  };
  useEffect(leaveMenu, [path]);
  useCommands([
    ...VIEWS.map(({ title, key, path: to }) => ({ title: `Go to ${title}`, keys: [`g ${key}`], run: () => navigate(to) })),
    ...plugins.map((view) => ({ title: `Go to ${view.title}`, run: () => navigate(paths.pluginView(view)) })),
    ...saved.map((view) => ({ title: `View: ${view.title}`, run: () => navigate(view.path) })),
    { title: 'Saved views', keys: ['v'], run: () => setDialog('views') },
    { title: 'Find anything', keys: ['mod+k'], inDialogs: true, run: () => setDialog('omnibox') },
    { title: 'Keys that work here', keys: ['?'], run: () => setDialog('keys') },
    copying('a link to what is shown', () => location.href),
    copying('a link in Markdown', () => markdownLink(title, location.href)),
    { title: 'What can be copied here, or be done with the reference that has the focus', keys: ['y'], inDialogs: true, run: () => void (openMenuAtFocus() || isInDialog() || setDialog('copies')) },
    { title: 'Switch between dark and light', run: () => void (taste.theme = taste.theme === 'dark' ? 'light' : 'dark') },
    { title: taste.letterKeys ? 'Switch keys of one letter off' : 'Switch keys of one letter on', run: () => void (taste.letterKeys = !taste.letterKeys) },
  ]);
  return (
    <div className={css.shell}>
      <TopBar onFind={() => setDialog('omnibox')} onMenu={() => setMenu(!menu)} menuOpen={menu} />
      <Nav open={menu} path={path} onChoose={leaveMenu} />
      <main ref={place} className={css.main} aria-label={title} tabIndex={-1}><LiveBanner /><LiveFaults /><Content path={path} />{watched && <WatchStrip />}<Jobs /></main>
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
  const unseen = useSyncExternalStore(news.onChange, news.count);
  useEffect(seeWhenLooking, []);
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${[title, application, 'Treadle'].filter(Boolean).join(' · ')}`;
  }, [title, application, unseen]);
}

function useViewTitle(): string {
  const path = usePath();
  const plugins = usePluginViews().data?.items ?? [];
  return plugins.find((view) => isPluginViewAt(path, view))?.title ?? viewOf(path)?.title ?? 'Not found';
}

/** Another engine may answer after a restart. The first connection is to the engine that has answered before it, as a rule. */
function useRefreshAfterReturn({ data, refetch }: Pick<UseQueryResult<Meta>, 'data' | 'refetch'>): void {
  const status = useLiveStatus();
  useEffect(() => {
    if (status === 'live' && (live.goneSince !== undefined || live.engine !== data?.bootId)) void refetch();
  }, [status]);
}
