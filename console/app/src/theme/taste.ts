import type { Zone } from '../format/time.js';

export type Theme = 'dark' | 'light';

/** What is a matter of taste and therefore not in the address: kept in this browser. */
class Taste {
  private readonly listeners = new Set<() => void>();

  /** Without a choice the system's preference counts, also when it changes. What is chosen in another tab counts here, too. */
  constructor() {
    const light = matchMedia('(prefers-color-scheme: light)');
    const anew = (): void => {
      document.documentElement.dataset['theme'] = this.read('theme') ?? (light.matches ? 'light' : 'dark');
      this.tell();
    };
    light.addEventListener('change', () => void (this.read('theme') === null && anew()));
    addEventListener('storage', anew);
  }

  get theme(): Theme {
    return document.documentElement.dataset['theme'] === 'light' ? 'light' : 'dark';
  }

  set theme(theme: Theme) {
    document.documentElement.dataset['theme'] = theme;
    this.keep('theme', theme);
  }

  get zone(): Zone {
    return (this.read('zone') as Zone | null) ?? 'local';
  }

  set zone(zone: Zone) {
    this.keep('zone', zone);
  }

  /** Whether keys of one letter do something (WCAG 2.1.4). */
  get letterKeys(): boolean {
    return this.read('letter-keys') !== 'off';
  }

  set letterKeys(on: boolean) {
    this.keep('letter-keys', on ? 'on' : 'off');
  }

  read(name: string): string | null {
    try {
      return localStorage.getItem(`treadle.${name}`);
    } catch {
      return null; // Storage may be forbidden; then everything is as it comes.
    }
  }

  keep(name: string, value: string): void {
    try {
      localStorage.setItem(`treadle.${name}`, value);
    } catch {
      // As above: the choice lasts until the page is left.
    }
    this.tell();
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(): void {
    this.listeners.forEach((listener) => listener());
  }
}

export const taste = new Taste();
