import { useState } from 'react';
import { Button } from './controls.js';

const SHOWN_MS = 1500;

/** Copies a text and says so. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string | (() => string); readonly label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return <Button onClick={() => void copy()} aria-live="polite">{done ? 'Copied' : label}</Button>;
}
