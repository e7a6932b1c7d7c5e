import { useEffect, useState } from 'react';
import { usePath } from '../../url/location.js';
import { lazily } from '../../parts/lazily.js';

const RefPopup = lazily(() => import('./ref-popup.js'));

/** The chip that a card is beside; with `menu` also what can be done with it. */
interface Shown {
  readonly chip: HTMLElement;
  readonly menu: boolean;
}

/** How long somebody looks at a chip before its card comes, and how long it stays when they look away. */
const WAIT_MS = 400;
const CHIP = '[data-ref]';
/** Rows have a menu, and no card that would hide the next ones. */
const WITH_CARD = `${CHIP}:not([data-row])`;

const chipAt = (target: EventTarget | null, selector = CHIP): HTMLElement | null => (target instanceof Element ? target.closest<HTMLElement>(selector) : null);
const isInPopup = (target: EventTarget | null): boolean => target instanceof Element && target.closest('[data-popup]') !== null;

/** Opens the menu of the chip that has the focus. Gives whether there is one. */
export function openMenuAtFocus(): boolean {
  const chip = chipAt(document.activeElement);
  chip?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }));
  return chip !== null;
}

/** A menu stays until the focus goes elsewhere. */
function afterLook(before: Shown | undefined, chip: HTMLElement | null, byFocus: boolean): Shown | undefined {
  if (before?.menu && (!byFocus || chip === before.chip)) return before;
  return chip ? { chip, menu: false } : undefined;
}

/** Cards and menus of all chips of the page: the card comes when a chip is looked at or has the focus by keys, the menu with the right button or its key. */
export function RefLayer() {
  const [shown, setShown] = useState<Shown>();
  const path = usePath();
  useEffect(() => setShown(undefined), [path]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let pointerAt = '';
    /** Whether the pointer was moved. What comes under one that rests is no look: it does not take the card from the focus. */
    const isMoved = ({ screenX, screenY }: PointerEvent): boolean => {
      const before = pointerAt;
      pointerAt = `${screenX},${screenY}`;
      return pointerAt !== before;
    };
    const look = (event: Event): void => {
      if (event instanceof PointerEvent && !isMoved(event)) return;
      const { type, target } = event;
      clearTimeout(timer);
      if (isInPopup(target)) return;
      const chip = chipAt(target, WITH_CARD);
      const byFocus = type === 'focusin';
      if (byFocus && chip?.matches(':focus-visible') === false) return;
      timer = setTimeout(() => setShown((before) => afterLook(before, chip, byFocus)), WAIT_MS);
    };
    const ask = (event: MouseEvent): void => {
      const chip = chipAt(event.target);
      if (!chip || event.shiftKey) return;
      clearTimeout(timer);
      event.preventDefault();
      setShown({ chip, menu: true });
    };
    const press = ({ target }: Event): void => void (!isInPopup(target) && setShown(undefined));
    const ways = [['pointerover', look], ['pointermove', isMoved], ['focusin', look], ['contextmenu', ask], ['pointerdown', press]] as const;
    for (const [type, listener] of ways) document.addEventListener(type, listener as EventListener);
    return () => {
      clearTimeout(timer);
      for (const [type, listener] of ways) document.removeEventListener(type, listener as EventListener);
    };
  }, []);
  const close = (): void => {
    if (shown?.menu) shown.chip.focus();
    setShown(undefined);
  };
  return shown?.chip.isConnected ? <RefPopup key={Object.values(shown.chip.dataset).join(' ')} {...shown} onClose={close} /> : null;
}
