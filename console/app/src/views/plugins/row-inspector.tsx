import type { ViewAction, ViewField } from '../../api/types.generated.js';
import { useState } from 'react';
import { send } from '../../api/client.js';
import { ActButton } from '../../parts/act-button.js';
import { Button, Pairs } from '../../parts/controls.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Modal, ModalFoot } from '../../parts/modal.js';
import { attempt, toast } from '../../parts/toasts.js';
import { Inspector } from '../../parts/view.js';
import { Cell } from './cell.js';
import type { ShownDeclaredView } from './declared-view-page.js';
import { fieldOf, filledRoute, moduleRoute } from './module-route.js';

interface Props {
  readonly view: ShownDeclaredView;
  readonly columns: readonly ViewField[];
  readonly row: unknown;
  /** Its key. */
  readonly name: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A row with all that its answer says, and what can be done with it. */
export function RowInspector({ view, columns, row, name, onClose, onDone }: Props) {
  const [asked, setAsked] = useState<ViewAction>();
  const run = async ({ label, method, route }: ViewAction): Promise<void> => {
    setAsked(undefined);
    const filled = filledRoute(route, row);
    if (filled === undefined) return toast(`${label}: this row has not what ${route} needs`, 'bad');
    if (await attempt(() => send({ method, path: moduleRoute(view, filled) }), `${label}: done`)) onDone();
  };
  return (
    <Inspector title={<span className="mono">{name}</span>} onClose={onClose}>
      {view.actions && <div className="row wrap">{view.actions.map((action) => <ActButton key={action.id} look={action.method === 'DELETE' ? 'danger' : 'primary'} onClick={() => (action.confirm ? setAsked(action) : void run(action))}>{action.label}</ActButton>)}</div>}
      <Pairs items={columns.map(({ field, title = field, as }) => [title, <Cell key={field} value={fieldOf(row, field)} as={as} links />] as const)} />
      <JsonTree value={row} />
      {asked && (
        <Modal title={`${asked.label}?`} onClose={() => setAsked(undefined)}>
          <p>{asked.label} of <span className="mono">{name}</span>, by {view.package}.</p>
          <ModalFoot><Button onClick={() => setAsked(undefined)}>Cancel</Button><Button look="primary" onClick={() => void run(asked)}>{asked.label}</Button></ModalFoot>
        </Modal>
      )}
    </Inspector>
  );
}
