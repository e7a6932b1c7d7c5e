import css from './icon.module.css';

/** Lines on a grid of 16. */
const SHAPES = {
  home: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5M6.8 13V9.5h2.4V13', flows: 'M2 4h4v3H2zM10 3h4v3h-4zM10 10h4v3h-4zM6 5.5h2V11.5h2M8 5h2',
  endpoints: 'M2 8h9M8 5l3 3-3 3M14 3v10', traces: 'M2 4h7M5 8h7M8 12h6', logs: 'M2 4h12M2 8h12M2 12h8', state: 'M3 3h10v10H3zM3 7h10M7 7v6',
  streams: 'M2 5h9L8.5 2.5M14 11H5l2.5 2.5', queues: 'M2 4h3v8H2zM6.5 4h3v8h-3zM11 4h3v8h-3z', cron: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2L10 10',
  metrics: 'M2 13V3M2 13h12M4 10l3-3 2 2 4-5', modules: 'M8 2 13.5 5v6L8 14 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6', plugin: 'M6 2v4M10 2v4M4 6h8v3a4 4 0 0 1-8 0zM8 13v2',
  menu: 'M2 4h12M2 8h12M2 12h12', moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z', sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5 13 13M3 13l1.5-1.5M11.5 4.5 13 3',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { readonly name: IconName }) {
  return <svg className={css.icon} viewBox="0 0 16 16" aria-hidden="true"><path d={SHAPES[name]} /></svg>;
}
