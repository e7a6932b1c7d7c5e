import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { BASE, navigate } from './location.js';

/** A link inside the page. Other buttons and modifier keys stay the browser's. */
export function Link({ to, onClick, ...rest }: { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={BASE + to} onClick={follow} />;
}
