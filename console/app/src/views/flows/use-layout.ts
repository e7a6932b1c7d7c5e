import { useEffect, useState } from 'react';
import type { LayoutJob, Places } from './layout.js';

/** Where each box of a graph lies, beside the page's thread; until a new shape is laid out that of the former one. @throws Error when the worker cannot be had */
export function useLayout(shape: string, job: () => LayoutJob): Places | undefined {
  const [places, setPlaces] = useState<Places>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Places>) => {
      setPlaces(data);
      worker.terminate();
    };
    worker.onerror = ({ message }) => setFault(message || 'the layout of the graph could not be loaded');
    worker.postMessage(job());
    return () => worker.terminate();
  }, [shape]);
  if (fault !== undefined) throw new Error(fault);
  return places;
}
