import { useSnapshot } from '../live/use-snapshot.js';
import { usePluginViews } from '../views/plugins/use-plugin-views.js';
import { classes } from '../parts/controls.js';
import { pressedFor } from '../keys/key-swaps.js';
import { useOwnKeys } from '../parts/kbd.js';
import { Icon } from '../parts/icon.js';
import { Link } from '../url/link.js';
import { paths } from '../url/paths.js';
import css from './shell.module.css';
import { isPluginViewAt, VIEWS, viewOf } from './views.js';

interface Props {
  readonly open: boolean;
  readonly path: string;
  /** A view was chosen, perhaps the one that is there. */
  readonly onChoose: () => void;
}

/** The views, with counts of bad things alone. */
export function Nav({ open, path, onChoose }: Props) {
  const { data } = useSnapshot('GET /overview');
  const keys = useOwnKeys();
  const plugins = usePluginViews().data?.items ?? [];
  const bad: Readonly<Record<string, string | undefined>> = {
    home: data?.findings.error ? `${data.findings.error} wrong` : undefined,
    queues: data?.queues?.dead ? `${data.queues.dead} dead` : undefined,
    modules: data && data.health.status !== 'ok' ? data.health.status : undefined,
  };
  const current = viewOf(path)?.id;
  return (
    <nav className={classes(css.nav, open && css.open)} aria-label="Views" onClick={({ target }) => void (target instanceof Element && target.closest('a') && onChoose())}>
      <ul>
        {VIEWS.map(({ id, title, path: to, icon, key }) => (
          <li key={id}>
            <Link to={to} className={css.item} title={`${title} (${pressedFor(keys, `g ${key}`)})`} {...id === current && { 'aria-current': 'page' as const }}>
              <Icon name={icon} />{title}{bad[id] && <span className={css.bad}>{bad[id]}</span>}
            </Link>
          </li>
        ))}
        {plugins.map((view) => (
          <li key={paths.pluginView(view)}>
            <Link to={paths.pluginView(view)} className={css.item} title={`${view.title}, of ${view.package}`} {...isPluginViewAt(path, view) && { 'aria-current': 'page' as const }}>
              <Icon name="plugin" />{view.title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
