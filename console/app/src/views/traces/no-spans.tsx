import { Button } from '../../parts/controls.js';
import { Empty } from '../../parts/data-state.js';

interface Props {
  /** What spans must have to be shown; empty: they need nothing. */
  readonly text: string;
  /** Only those on the critical path are shown. */
  readonly critical: boolean;
  readonly onOthers: () => void;
  readonly onWhole: () => void;
}

/** No span of a trace fits what it is narrowed to. */
export function NoSpans({ text, critical, onOthers, onWhole }: Props) {
  return (
    <Empty title={`No span ${text === '' ? '' : 'fits '}${critical ? (text === '' ? 'is on the critical path' : 'on the critical path') : ''}`.trim()}>
      {text !== '' && <p className="mono">{text}</p>}
      <div className="row wrap">{text !== '' && <Button onClick={onOthers}>Show the others</Button>}{critical && <Button onClick={onWhole}>Show what is not on the critical path</Button>}</div>
    </Empty>
  );
}
