import type { StateItem } from '../../api/types.generated.js';
import { preview } from '../../parts/json-tree.js';
import viewCss from '../../parts/view.module.css';
import css from './state.module.css';

interface Props {
  readonly item: StateItem;
  readonly current: boolean;
  readonly marked?: boolean;
  /** It was written just now. */
  readonly flashes?: boolean;
  readonly onOpen: (key: string) => void;
}

/** A key with the beginning of its value. */
export function KeyRow({ item, current, marked = false, flashes = false, onOpen }: Props) {
  return (
    <div role="option" aria-selected={current} className={viewCss.rowButton} data-flash={flashes} onClick={() => onOpen(item.key)}>
      <span className={css.key}>{marked && '☑ '}{item.key}</span><span className={css.preview}>{preview(item.value)}</span><span className="muted num">rev {item.revision}</span>
    </div>
  );
}
