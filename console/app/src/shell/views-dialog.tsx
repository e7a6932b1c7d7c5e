import { type FormEvent, useState } from 'react';
import { Button, Field, Input } from '../parts/controls.js';
import { Modal, ModalFoot } from '../parts/modal.js';
import { Link } from '../url/link.js';
import { currentPath } from '../url/location.js';
import { withView } from './saved-view.js';
import { keepViews, useSavedViews } from './saved-views.js';
import css from './shell.module.css';

/** Saves what is shown now under a name, and opens what was saved. */
export function ViewsDialog({ title: current, onClose }: { readonly title: string; readonly onClose: () => void }) {
  const views = useSavedViews();
  const [title, setTitle] = useState('');
  const path = currentPath() + location.search;
  const save = (event: FormEvent): void => {
    event.preventDefault();
    keepViews(withView(views, { title: title.trim() || current, path }));
    onClose();
  };
  return (
    <Modal title="Saved views" onClose={onClose}>
      <form className="stack" onSubmit={save}>
        <Field label="Name of what is shown now"><Input placeholder={current} maxLength={80} value={title} onChange={(event) => setTitle(event.target.value)} /></Field>
        <p className="mono muted truncate" title={path}>{path}</p>
        <ModalFoot><Button look="primary" type="submit">Save this view</Button></ModalFoot>
      </form>
      {views.length > 0 && <ul className={css.keys}>{views.map((view) => <li key={view.title}><Link to={view.path} onClick={onClose} className="truncate" title={view.path}>{view.title}</Link><span><Button aria-label={`Forget ${view.title}`} onClick={() => keepViews(views.filter((one) => one !== view))}>Forget</Button></span></li>)}</ul>}
      <p className="muted">They are kept in this browser; a copied address shows the same to somebody else.</p>
    </Modal>
  );
}
