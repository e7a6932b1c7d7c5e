import { toast } from '../parts/toasts.js';

const listeners = new Set<() => void>();
let unseen = 0;

function become(count: number): void {
  unseen = count;
  listeners.forEach((listener) => listener());
}

/** How many things ended while nobody looked; for the title of the page. */
export const news = {
  count: (): number => unseen,
  onChange: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** To be called at a click: a browser asks the person only then. Without permission, and where a browser has none to give, the title of the page and a line in it say what ended. */
export function mayTell(): void {
  if ('Notification' in window && Notification.permission === 'default') void Notification.requestPermission();
}

/** Something that was watched has ended: says so in the page, and when nobody looks at it in the title and by the browser. `open` shows it. */
export function tell(text: string, tone: 'ok' | 'bad', open: () => void): void {
  toast(text, tone);
  if (!document.hidden && document.hasFocus()) return;
  become(unseen + 1);
  if ('Notification' in window && Notification.permission === 'granted') notify(text, open);
}

/** Some browsers, such as those of telephones, have a permission to give and yet refuse this way to notify. */
function notify(text: string, open: () => void): void {
  try {
    const note = new Notification(text, { tag: text });
    note.onclick = () => {
      window.focus();
      open();
    };
  } catch {
    // The title of the page says it.
  }
}

/** Whoever looks at the page has seen it. */
export function seeWhenLooking(): () => void {
  const seen = (): void => void (!document.hidden && unseen > 0 && become(0));
  window.addEventListener('focus', seen);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('focus', seen);
    document.removeEventListener('visibilitychange', seen);
  };
}
