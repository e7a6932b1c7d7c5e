import { useState } from 'react';
import { ApiError } from '../api/client.js';
import { readJson, writeJson } from '../api/json.js';
import type { JsonValue } from '../api/types.generated.js';
import { useCommands } from '../keys/commands.js';
import { Button, Kbd } from './controls.js';
import { Note } from './data-state.js';
import { JsonEditor, JsonMerge } from './json-editor.js';
import { faultOf } from './json-fault.js';
import { JsonTree } from './json-tree.js';
import { Modal, ModalFoot } from './modal.js';
import { toast } from './toasts.js';

const NOT_FOUND = 404;
const CONFLICTS = [409, 412];

/** A value with what tells it from the ones before and after. */
export interface Revised {
  readonly value: JsonValue;
  readonly revision: number;
}

/** Nothing was there; whoever saves over it makes it anew. */
const NONE = { value: undefined, revision: 0 } as const;
type Found = Revised | typeof NONE;

interface Props {
  /** Of the text, e.g. `Value of lamp`. */
  readonly label: string;
  /** As it was when the editing began. */
  readonly base: Revised;
  /** As it is now; undefined: it was deleted. */
  readonly current: Revised | undefined;
  /** Writes only over this revision, else it fails with 409 or 412. */
  readonly save: (value: unknown, over: number) => Promise<unknown>;
  /** Asks for what is there; fails with 404 where nothing is. */
  readonly read: () => Promise<Revised>;
  /** Of what saves, e.g. `Save`. */
  readonly verb: string;
  readonly saved: string;
  readonly onDone: () => void;
}

/** Compare and set: a value that somebody else wrote meanwhile is never overwritten unseen. */
export function RevisionEditor({ label, base, current, save, read, verb, saved, onDone }: Props) {
  const [text, setText] = useState(() => writeJson(base.value, 2));
  const [theirs, setTheirs] = useState<Found>();
  const fault = faultOf(text);
  const write = async (over: number): Promise<void> => {
    try {
      await save(readJson(text), over);
      toast(saved);
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (CONFLICTS.includes(error.status)) await read().catch(thatNothingIs).then(setTheirs, (reason: unknown) => toast((reason as Error).message, 'bad'));
      else toast(error.message, 'bad');
    }
  };
  const saves = (): void => void (fault === undefined && write(base.revision));
  useCommands([{ title: 'Save the value', keys: ['mod+s'], run: saves }]);
  return (
    <>
      {current?.revision !== base.revision && !theirs && <Note>It was {current ? 'written' : 'deleted'} meanwhile: you edit revision {base.revision}{current && `, now it has ${current.revision}`}. Saving shows both.</Note>}
      <JsonEditor label={label} value={text} onChange={setText} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <div className="row wrap"><Button look="primary" disabled={fault !== undefined} onClick={saves}>{verb} over revision {base.revision} <Kbd>⌘S</Kbd></Button><Button onClick={onDone}>Cancel</Button></div>
      {theirs && <Conflict base={base} theirs={theirs} mine={text} onText={setText} onSave={() => void write(theirs.revision)} {...{ verb, fault }} onClose={() => setTheirs(undefined)} />}
    </>
  );
}

function thatNothingIs(error: unknown): Found {
  if (error instanceof ApiError && error.status === NOT_FOUND) return NONE;
  throw error;
}

interface ConflictProps {
  readonly base: Revised;
  readonly theirs: Found;
  readonly mine: string;
  readonly verb: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Three ways: what the editing began with, what was written meanwhile, and what is to be saved. */
function Conflict({ base, theirs, mine, verb, fault, onText, onSave, onClose }: ConflictProps) {
  useCommands([{ title: 'Save what both wrote', keys: ['mod+s'], inDialogs: true, run: () => void (fault === undefined && onSave()) }]);
  const isThere = theirs.value !== undefined;
  const there = isThere ? writeJson(theirs.value, 2) : '';
  return (
    <Modal title={`Somebody ${isThere ? 'wrote' : 'deleted'} it meanwhile`} onClose={onClose} wide>
      <p>You began with revision {base.revision}; now it {isThere ? `is revision ${theirs.revision}` : 'is not there any more'}. Nothing was overwritten. {isThere ? 'Bring together what you want to keep on the right.' : 'Saving makes it anew.'}</p>
      <details open><summary>Revision {base.revision}, with which you began</summary><JsonTree value={base.value} /></details>
      <JsonMerge before={there} after={mine} onChange={onText} labels={[isThere ? `Now: revision ${theirs.revision}` : 'Now: nothing', 'Yours, to be saved']} />
      {fault && <p role="alert" className="muted">{fault}</p>}
      <ModalFoot>
        <Button onClick={onClose}>Back to editing</Button>{isThere && <Button onClick={() => onText(there)}>Take theirs</Button>}
        <Button look="primary" disabled={fault !== undefined} onClick={onSave}>{isThere ? `${verb} over revision ${theirs.revision}` : `${verb} anew`}</Button>
      </ModalFoot>
    </Modal>
  );
}
