/** What can have the focus instead of something in it: it has a name. */
const LANDING = ':is(main, dialog, [role=region], [role=listbox], [role=tree], [role=list])[tabindex]';

/**
 * Where what has the focus is taken away, puts the focus on the list, region, dialog or view around it: by itself a browser puts it nowhere, and who works by keys or hears the page has lost the place.
 * Gives what ends it.
 */
export function keepFocus(): () => void {
  let around: readonly Element[] = [];
  const remember = ({ target }: Event): void => void (around = target instanceof Element ? ancestors(target) : []);
  const forget = (): void => void (around = []);
  const watch = new MutationObserver(() => {
    if (around[0]?.isConnected !== false || document.activeElement !== document.body) return;
    const [landing] = around.filter(({ isConnected }) => isConnected).flatMap(landingOf);
    forget();
    landing?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', remember);
  // Who presses elsewhere wants it nowhere.
  document.addEventListener('pointerdown', forget);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    watch.disconnect();
    document.removeEventListener('focusin', remember);
    document.removeEventListener('pointerdown', forget);
  };
}

/** The element and those around it, the innermost first. */
function ancestors(of: Element): readonly Element[] {
  return of.parentElement ? [of, ...ancestors(of.parentElement)] : [of];
}

function landingOf(place: Element): readonly HTMLElement[] {
  const found = place.matches(LANDING) ? place : place.querySelector(LANDING);
  return found instanceof HTMLElement ? [found] : [];
}
