import type { BootStep, PlannedEntry } from '@treadle/kernel';

/**
 * Knows which module announced an address. The kernel runs the phases of all instances one after the other and notes
 * each when it ends; so an address belongs to the first module whose phase ends after the announcement.
 */
export class AddressBook {
  /** Address name → number of phases that had ended when it was announced. */
  private readonly marks = new Map<string, number>();

  /** @param steps the engine's boot tree, which grows */
  constructor(private readonly steps: () => readonly BootStep[]) {}

  /** Notes an announcement at the moment it is made. */
  note(name: string): void {
    this.marks.set(name, this.steps().length);
  }

  /** The addresses of one module. `entries`: all modules that run. */
  of(entry: PlannedEntry, entries: readonly PlannedEntry[], addresses: ReadonlyMap<string, string>): string[] {
    const modules = new Set(entries.map(({ instance }) => instance.id));
    const owner = (name: string): string | undefined =>
      this.steps().slice(this.marks.get(name)).find((step) => modules.has(step.instance))?.instance;
    return [...addresses].filter(([name]) => owner(name) === entry.instance.id).map(([, address]) => address);
  }
}
