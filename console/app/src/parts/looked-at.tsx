import type { ApiError } from '../api/client.js';
import { count, plural } from '../format/numbers.js';
import { Button } from './controls.js';
import css from './query-bar.module.css';

interface Props {
  /** Name of one of the things that were looked at. */
  readonly one?: string;
  /** How many of them so far. */
  readonly examined: number;
  /** What they came to, e.g. `3 fit`. */
  readonly found: string;
  readonly more: boolean;
  /** The store shows no more although there may be some. */
  readonly headOnly?: boolean | undefined;
  readonly busy: boolean;
  /** Why looking on, or again, failed. */
  readonly error?: ApiError | null;
  readonly onMore: () => void;
  readonly onAgain: () => void;
}

/** How much was looked at, and whether there is more. The engine looks at a part of much at a time. */
export function LookedAt({ one = 'key', examined, found, more, headOnly = false, busy, error = null, onMore, onAgain }: Props) {
  const looked = more || headOnly ? `Looked at the first ${plural(examined, one)}` : `Looked at all ${plural(examined, one)}`;
  return (
    <p className={css.looked} role="status">
      <span>{looked}: {found}.{!more && headOnly && ' This store shows what waits from its head alone.'}</span>
      {error && <span>The last look failed: {error.message}</span>}
      {more && <Button onClick={onMore} disabled={busy}>{busy ? 'Looking…' : 'Look on'}</Button>}
      <Button look="plain" onClick={onAgain}>Look again</Button>
    </p>
  );
}

/** `3 fit`, `1 fits`. */
export function fitting(found: number): string {
  return found === 1 ? '1 fits' : `${count(found)} fit`;
}
