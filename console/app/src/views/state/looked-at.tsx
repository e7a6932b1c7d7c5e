import type { ApiError } from '../../api/client.js';
import { count, plural } from '../../format/numbers.js';
import { Button } from '../../parts/controls.js';
import css from './state.module.css';

interface Props {
  /** Keys that were looked at so far. */
  readonly examined: number;
  /** What they came to, e.g. `3 fit`. */
  readonly found: string;
  readonly more: boolean;
  readonly busy: boolean;
  /** Why looking on, or again, failed. */
  readonly error: ApiError | null;
  readonly onMore: () => void;
  readonly onAgain: () => void;
}

/** How much was looked at, and whether there is more. The engine looks at a part of a large group at a time. */
export function LookedAt({ examined, found, more, busy, error, onMore, onAgain }: Props) {
  return (
    <p className={css.looked} role="status">
      <span>{more ? `Looked at the first ${count(examined)} keys` : `Looked at all ${plural(examined, 'key')}`}: {found}.</span>
      {error && <span>The last look failed: {error.message}</span>}
      {more && <Button onClick={onMore} disabled={busy}>{busy ? 'Looking…' : 'Look on'}</Button>}
      <Button look="plain" onClick={onAgain}>Look again</Button>
    </p>
  );
}
