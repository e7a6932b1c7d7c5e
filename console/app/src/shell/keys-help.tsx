import { commands } from '../keys/commands.js';
import { Kbd } from '../parts/controls.js';
import { Modal } from '../parts/modal.js';
import css from './shell.module.css';
import { MOD } from './top-bar.js';

/** The keys that are valid here. */
export function KeysHelp({ onClose }: { readonly onClose: () => void }) {
  const known = new Map(commands().filter(({ keys }) => keys?.length).map((command) => [command.title, command]));
  return (
    <Modal title="Keys that work here" onClose={onClose} wide>
      <ul className={css.keys}>
        {[...known.values()].reverse().map(({ title, keys }) => <li key={title}><span>{title}</span><span>{keys?.map((key) => <Kbd key={key}>{key.replace('mod', MOD)}</Kbd>)}</span></li>)}
      </ul>
      <p className="muted">Keys of one letter can be switched off: {MOD}+K, then “Switch keys of one letter off”.</p>
    </Modal>
  );
}
