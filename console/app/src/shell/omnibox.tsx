import { type KeyboardEvent, useState } from 'react';
import { useSnapshot } from '../live/use-snapshot.js';
import { commands } from '../keys/commands.js';
import { pressedFor } from '../keys/key-swaps.js';
import { ownKeys } from '../keys/own-keys.js';
import { Input } from '../parts/controls.js';
import { Modal } from '../parts/modal.js';
import { navigate } from '../url/location.js';
import { paths } from '../url/paths.js';
import css from './shell.module.css';

interface Choice {
  readonly title: string;
  readonly hint: string;
  readonly run: () => void;
}

const MOST = 40;

/** Finds Steps, topics and commands by name; anything else is resolved by the engine. With `copies` it has what can be copied here alone. */
export function Omnibox({ copies = false, onClose }: { readonly copies?: boolean; readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices(text.trim(), copies);
  const pick = (choice: Choice | undefined): void => {
    onClose();
    choice?.run();
  };
  const key = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((at + step + choices.length) % Math.max(1, choices.length));
    if (event.key === 'Enter') pick(choices[at]);
    if (step !== 0 || event.key === 'Enter') event.preventDefault();
  };
  return (
    <Modal title={copies ? 'Copy' : 'Find anything'} onClose={onClose}>
      <Input
        autoFocus role="combobox" aria-expanded="true" aria-controls="omnibox-choices" aria-activedescendant={`choice-${at}`} aria-label="Name, id or command"
        placeholder={copies ? 'what is to be copied' : 'Step, topic, trace id, message id, file:line; > for commands'} value={text} onKeyDown={key}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div id="omnibox-choices" role="listbox" aria-label="Found" className={css.choices}>
        {choices.map((choice, index) => (
          <button key={`${choice.hint} ${choice.title}`} id={`choice-${index}`} type="button" role="option" tabIndex={-1} aria-selected={index === at} className={css.choice} onClick={() => pick(choice)}>
            <span>{choice.title}</span><span className="mono">{choice.hint}</span>
          </button>
        ))}
      </div>
    </Modal>
  );
}

function useChoices(text: string, copies: boolean): readonly Choice[] {
  const steps = useSnapshot('GET /steps').data?.items ?? [];
  const nodes = useSnapshot('GET /flows').data?.nodes ?? [];
  const wanted = text.replace(/^>\s*/, '').toLowerCase();
  const fits = ({ title }: Choice): boolean => wanted.split(/\s+/).every((word) => title.toLowerCase().includes(word));
  const offered = commands().filter(({ quiet, title, copies: isCopy = false }) => !quiet && title !== 'Find anything' && (isCopy || !copies)).map(({ title, keys, run }) => ({ title, hint: keys?.[0] === undefined ? 'command' : pressedFor(ownKeys(), keys[0]), run }));
  const unique = [...new Map(offered.map((one) => [one.title, one])).values()].filter(fits);
  if (copies || text.startsWith('>')) return unique.slice(0, MOST);
  const named = [
    ...steps.map(({ config, file }) => ({ title: config.name, hint: file, run: () => navigate(paths.flowStep(config.name)) })),
    ...nodes.filter(({ kind }) => kind === 'topic').map(({ title }) => ({ title, hint: 'topic', run: () => navigate(paths.topic(title)) })),
  ].filter(fits);
  const go: readonly Choice[] = text === '' ? [] : [{ title: `Look up “${text}”`, hint: 'id', run: () => navigate(`/go/${encodeURIComponent(text)}`) }];
  return [...named, ...unique, ...go].slice(0, MOST);
}
