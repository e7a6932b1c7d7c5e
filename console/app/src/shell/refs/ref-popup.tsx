import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { call } from '../../api/client.js';
import { writeJson } from '../../api/json.js';
import { useCommands } from '../../keys/commands.js';
import { BASE, currentPath, navigate, patchSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { Kbd } from '../../parts/kbd.js';
import { copyText, markdownLink } from '../../parts/copy.js';
import { Choice } from '../../parts/menu.js';
import { withCondition } from '../../parts/with-condition.js';
import { ABOUT } from './ref-about.js';
import css from './ref-popup.module.css';
import type { RefKind } from '../../parts/refs.js';
import { attempt } from '../../parts/toasts.js';

interface Props {
  readonly chip: HTMLElement;
  readonly menu: boolean;
  readonly onClose: () => void;
}

const [WIDTH, GAP] = [340, 4];

/** What is known of a chip's thing, and what can be done with it. */
export default function RefPopup({ chip, menu, onClose }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { ref = 'trace', id = '', group = '' } = chip.dataset;
  const kind = ref as RefKind;
  const Card = ABOUT[kind];
  useLayoutEffect(() => place.current?.showPopover(), []);
  useLayoutEffect(() => {
    if (menu) place.current?.querySelector('button')?.focus();
  }, [menu]);
  useCommands([{ title: 'Close the card', keys: ['Escape'], quiet: true, inDialogs: true, run: onClose }]);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const choices = [...place.current?.querySelectorAll('button') ?? []];
    if (event.key === 'Tab') onClose();
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choices[(choices.findIndex((one) => one === document.activeElement) + step + choices.length) % choices.length]?.focus();
  };
  const { left, top, bottom } = chip.getBoundingClientRect();
  const isLow = top > innerHeight / 2;
  const at = { left: Math.max(GAP, Math.min(left, innerWidth - WIDTH - GAP)), ...isLow ? { bottom: innerHeight - top + GAP } : { top: bottom + GAP } };
  const words = `${kind} ${group === '' ? '' : `${group}/`}${id}`;
  return createPortal((
    <div ref={place} popover="manual" data-popup className={css.popup} style={at} role="group" aria-label={`About ${words}`} onKeyDown={move}>
      <strong className={css.name}>{words}</strong>
      {Card && <Card id={id} group={group} />}
      {menu ? <div className={css.choices} onClick={onClose}>{choicesOf(kind, { id, group, path: chip.getAttribute('href') ?? '' }).map(([title, run]) => <Choice key={title} title={title} onPick={run} />)}</div> : <span className="muted">Right button or <Kbd>y</Kbd>: what can be done with it</span>}
    </div>
  ), chip.closest('dialog') ?? document.body);
}

interface Thing {
  readonly id: string;
  readonly group: string;
  /** Where its chip leads. */
  readonly path: string;
}

type Deed = readonly [title: string, run: () => void];

function choicesOf(kind: RefKind, { id, group, path }: Thing): readonly Deed[] {
  const isFile = kind === 'file';
  const open: readonly Deed[] = isFile ? [['Open in the editor', () => void (location.href = path)]] : [['Open', () => navigate(path.slice(BASE.length))], ['Open beside, in another tab', () => void window.open(path, '_blank', 'noopener')]];
  const copies: readonly Deed[] = [
    ['Copy id', () => copyText(group === '' ? id : `${group}/${id}`)],
    ...isFile ? [] : [['Copy link', () => copyText(new URL(path, location.href).href)], ['Copy as Markdown', () => copyText(markdownLink(`${kind} ${id}`, path))], ['Copy as JSON', () => void attempt(async () => copyText(writeJson(await json(kind, id, group), 2)))]] as const,
  ];
  return [...open, ...queries(kind, id), ...copies];
}

/** In a list with a query its conditions, elsewhere the lists. */
function queries(kind: RefKind, id: string): readonly Deed[] {
  if (kind !== 'trace' && kind !== 'step') return [];
  const path = currentPath();
  if (path === '/traces' || path === '/logs') {
    const with_ = (out: boolean) => (): void => patchSearch({ q: withCondition(new URLSearchParams(location.search).get('q') ?? '', kind, id, out) });
    return [['Filter for it', with_(false)], ['Filter it out', with_(true)]];
  }
  return [...kind === 'step' ? [['Its traces', () => navigate(paths.traces(`step:${id}`))] as const] : [], ['Its logs', () => navigate(paths.logs(`${kind}:${id}`))]];
}

async function json(kind: RefKind, id: string, group: string): Promise<unknown> {
  if (kind === 'trace') return call('GET /traces/{id}', { id });
  if (kind === 'key') return call('GET /state/groups/{group}/keys/{key}', { group, key: id });
  if (kind === 'topic') return (await call('GET /queues')).items.filter(({ topic }) => topic === id);
  return (await call('GET /steps')).items.find(({ config }) => config.name === id)?.config;
}
