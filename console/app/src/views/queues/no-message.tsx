import { NotThere } from '../../parts/not-there.js';
import { Inspector } from '../../parts/view.js';
import { pathOf } from '../../url/match-path.js';

/** The address names a message that is not among those of the tab. */
export function NoMessage({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return <Inspector title={<span className="mono">{id}</span>} onClose={onClose}><NotThere what="message" name={id} to={pathOf('go', id)} list="What is known of it elsewhere">It may be on another tab, or further down than this one goes.</NotThere></Inspector>;
}
